import 'server-only'
import { randomBytes } from 'node:crypto'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { type Sealing, seal, unseal } from '#lib/platform/runtime/secrets.ts'

const sealing = (customerId: CustomerId, id: string): Sealing => ({
  purpose: 'webhook secrets',
  context: `${customerId} ${id}`,
})

/** Returns a new signing secret as Standard Webhooks writes it, and its seal, which is stored. */
export function newSigningSecret(customerId: CustomerId, id: string): { secret: string; sealed: string } {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  return { secret, sealed: seal(secret, sealing(customerId, id)) }
}

/**
 * Returns the secret of a webhook.
 * @throws Error for one that was sealed with another SESSION_SECRET
 */
export function unsealSecret(customerId: CustomerId, id: string, sealed: string): string {
  const secret = unseal(sealed, sealing(customerId, id))
  if (secret === undefined) throw new Error('The secret cannot be read any more. Rotate it.')
  return secret
}
