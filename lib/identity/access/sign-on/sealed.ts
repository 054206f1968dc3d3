import 'server-only'
import { seal, unseal } from '#lib/platform/runtime/secrets.ts'

/** ID token of a sign-in, with its provider. Stored encrypted only. */
export type Issued = { providerId: string; idToken: string }

const PURPOSE = 'secrets of identity providers'

/**
 * Encrypts a text for one row. It can't be decrypted in another row.
 * @param use identifies the row
 */
export function sealFor(use: string, text: string): string {
  return seal(text, { purpose: PURPOSE, context: use })
}

/** Decrypts a text of this row; undefined for any other text, or with another SESSION_SECRET. */
export function unsealFor(use: string, sealed: string): string | undefined {
  return unseal(sealed, { purpose: PURPOSE, context: use })
}
