import 'server-only'
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { sessionSecret } from '#lib/platform/caller/session-cookie.ts'
import { factorSettings } from './settings.ts'

const NONCE = 12
const TAG = 16

/**
 * What only our processes can read: AES-256-GCM under a key of its own, made of FACTOR_SECRET, else of SESSION_SECRET.
 * @param use what it is for, and whose it is: sealed for another use it can't be read
 */
export function sealFor(use: string, text: string): string {
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv('aes-256-gcm', keyOf(factorSettings().secret ?? sessionSecret()), nonce)
  cipher.setAAD(Buffer.from(use))
  const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat(sealed).toString('base64url')
}

/**
 * What was sealed for this use; undefined for anything else. What was sealed under SESSION_SECRET, before there was a
 * FACTOR_SECRET, is read too.
 */
export function unsealFor(use: string, sealed: string): string | undefined {
  const bytes = /^[\w-]+$/.test(sealed) ? Buffer.from(sealed, 'base64url') : Buffer.alloc(0)
  if (bytes.length < NONCE + TAG) return undefined
  const { secret: own } = factorSettings()
  for (const secret of [...(own ? [own] : []), sessionSecret()]) {
    const decipher = createDecipheriv('aes-256-gcm', keyOf(secret), bytes.subarray(0, NONCE))
    decipher.setAAD(Buffer.from(use))
    decipher.setAuthTag(bytes.subarray(-TAG))
    try {
      const text = decipher.update(bytes.subarray(NONCE, -TAG))
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    } catch {
      // Sealed under another one.
    }
  }
  return undefined
}

function keyOf(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'second factors', 32))
}
