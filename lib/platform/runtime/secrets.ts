import 'server-only'
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { databaseSettings } from '#lib/platform/db/settings.ts'
import { openDataDir } from './data-dir.ts'
import { env } from './env.ts'

const SECRET_SETTINGS = {
  session: { setting: 'SESSION_SECRET', readSetting: () => env().sessionSecret },
  database: { setting: 'DATABASE_SECRET', readSetting: () => databaseSettings().secret },
} as const

const secrets = new Map<keyof typeof SECRET_SETTINGS, string>()

/**
 * Returns a secret of this installation: the setting, or else one generated once in DATA_DIR. All web processes share
 * it, across machines, so the setting is required with DATABASE_URL.
 * @throws Error if the setting is required and missing
 */
export function installationSecret(name: keyof typeof SECRET_SETTINGS): string {
  const secret = secrets.get(name) ?? SECRET_SETTINGS[name].readSetting() ?? generatedSecret(name)
  secrets.set(name, secret)
  return secret
}

function generatedSecret(name: keyof typeof SECRET_SETTINGS): string {
  if (databaseSettings().url)
    throw new Error(`Set ${SECRET_SETTINGS[name].setting} (32 characters or more) where DATABASE_URL is set.`)
  return madeOnce(name)
}

/** Returns a secret that is generated once in DATA_DIR, readable for its owner only. */
export function madeOnce(name: string): string {
  const { dataDir } = env()
  const file = join(dataDir, `${name}-secret`)
  openDataDir(dataDir)
  try {
    writeFileSync(file, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  }
  return readFileSync(file, 'utf8')
}

const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Parameters of a seal. The key is derived from the purpose: a text sealed for one purpose can't be opened for another.
 */
export type Sealing = {
  purpose: string
  /**
   * Context of the text, such as its row, without which it can't be opened. Authenticated as additional data and not
   * stored with the text.
   */
  context?: string
  /** Derives the nonce from the text, so that equal texts have equal seals. Otherwise the nonce is random. */
  isRepeatable?: boolean
  /** Secret from which the key is derived: SESSION_SECRET by default. */
  secret?: string
}

/** Returns text that only our processes can read or make: nonce, AES-256-GCM ciphertext and tag in base64url. */
export function seal(text: string, { purpose, context = '', isRepeatable, secret }: Sealing): string {
  const nonce = isRepeatable
    ? createHmac('sha256', keyFor(`nonces of ${purpose}`, secret))
        .update(text)
        .digest()
        .subarray(0, NONCE_BYTES)
    : randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', keyFor(purpose, secret), nonce).setAAD(Buffer.from(context))
  const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat(sealed).toString('base64url')
}

/**
 * Returns the text that `seal` sealed with these parameters; undefined for any other text, also one sealed with another
 * secret.
 */
export function unseal(sealed: string, { purpose, context = '', secret }: Sealing): string | undefined {
  const bytes = /^[\w-]+$/.test(sealed) ? Buffer.from(sealed, 'base64url') : Buffer.alloc(0)
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', keyFor(purpose, secret), nonce, {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

/** Returns the HMAC-SHA256 of content that is visible to outsiders, by which our processes recognize it. */
export function sign(purpose: string, ...content: (string | Uint8Array)[]): Buffer {
  const hmac = createHmac('sha256', keyFor(purpose))
  for (const part of content) hmac.update(part)
  return hmac.digest()
}

/**
 * Returns whether a signature matches the content, in constant time.
 * @param signature bytes, or base64url
 */
export function isSigned(
  signature: string | Uint8Array,
  purpose: string,
  ...content: (string | Uint8Array)[]
): boolean {
  const expected = sign(purpose, ...content)
  const [one, other] =
    typeof signature === 'string'
      ? [Buffer.from(signature), Buffer.from(expected.toString('base64url'))]
      : [signature, expected]
  return one.length === other.length && timingSafeEqual(one, other)
}

const keys = new Map<string, KeyObject>()

/**
 * Returns the key for one purpose: HKDF-SHA256 of a secret, SESSION_SECRET by default. Cached, because importing a key
 * takes Node longer than sealing with it.
 */
function keyFor(purpose: string, secret = installationSecret('session')): KeyObject {
  const name = `${purpose} ${secret}`
  const key = keys.get(name) ?? createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)))
  keys.set(name, key)
  return key
}
