import 'server-only'
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { sessionSecret } from '#lib/platform/caller/session-cookie.ts'

/** By which provider somebody has signed in, and the ID token of that sign-in: it is sealed wherever it is kept. */
export type Issued = { providerId: string; idToken: string }

const NONCE = 12
const TAG = 16

/**
 * Seals a text for one place: AES-256-GCM under a key of its own. What is copied to another row opens there no more.
 * @param place names the row
 */
export function sealFor(place: string, text: string): string {
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv('aes-256-gcm', key(), nonce).setAAD(Buffer.from(place))
  const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat(sealed).toString('base64url')
}

/** What was sealed for this place; undefined for anything else, also under another SESSION_SECRET. */
export function unsealFor(place: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < NONCE + TAG) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key(), bytes.subarray(0, NONCE), { authTagLength: TAG })
  decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-TAG))
  try {
    const text = decipher.update(bytes.subarray(NONCE, -TAG))
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

function key(): Buffer {
  return Buffer.from(hkdfSync('sha256', sessionSecret(), '', 'secrets of identity providers', 32))
}
