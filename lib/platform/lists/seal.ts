import 'server-only'
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'
import { sessionSecret } from '#lib/platform/caller/session-cookie.ts'

const NONCE = 12
const TAG = 16

let keys: { secret: string; encrypt: KeyObject; nonce: KeyObject } | undefined

/**
 * Text that only our processes can read, and only they can make: AES-256-GCM under a key of its own. The nonce is made of
 * the text itself, so that equal answers stay equal to the byte, with their ETag; another text has another one.
 */
export function seal(text: string): string {
  const { encrypt, nonce: of } = keysNow()
  const nonce = createHmac('sha256', of).update(text).digest().subarray(0, NONCE)
  const cipher = createCipheriv('aes-256-gcm', encrypt, nonce)
  const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat(sealed).toString('base64url')
}

/** What was sealed; undefined for anything else, also for what was sealed under an older SESSION_SECRET. */
export function unseal(sealed: string): string | undefined {
  const bytes = /^[\w-]+$/.test(sealed) ? Buffer.from(sealed, 'base64url') : Buffer.alloc(0)
  if (bytes.length < NONCE + TAG) return undefined
  const decipher = createDecipheriv('aes-256-gcm', keysNow().encrypt, bytes.subarray(0, NONCE))
  decipher.setAuthTag(bytes.subarray(-TAG))
  try {
    const text = decipher.update(bytes.subarray(NONCE, -TAG))
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

function keysNow() {
  const secret = sessionSecret()
  if (keys?.secret !== secret) {
    // Prepared once: Node takes longer to prepare a key of bytes than to seal with it.
    const key = (use: string) => createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', use, 32)))
    keys = { secret, encrypt: key('page tokens'), nonce: key('nonces of page tokens') }
  }
  return keys
}
