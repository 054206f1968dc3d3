import 'server-only'
import { Secret, TOTP, URI } from 'otpauth'
import { env } from '#lib/platform/runtime/env.ts'
import { seal, unseal } from '#lib/platform/runtime/secrets.ts'
import { type QrCode, qrCodeOf } from '#lib/platform/values/qr-code.ts'
import { factorSettings } from '../../settings.ts'

/** Time step in seconds (RFC 6238); all apps use it. */
const PERIOD = 30
const APP = { algorithm: 'SHA1', digits: 6, period: PERIOD } as const
/** Number of time steps before and after the present one that are accepted, because clocks differ. */
const WINDOW = 1
/** Time within which a displayed secret can be confirmed, in ms. */
const CONFIRM_TIMEOUT_MS = 15 * 60 * 1000

/** New secret, displayed once and not stored until a code confirms it. */
export type NewSecret = {
  /** Secret in groups of four characters, for typing. */
  secret: string
  /** Content of the QR code. */
  uri: string
  /** QR code of the URI. */
  qr: QrCode
  /** Secret, encrypted for the owner that it is displayed to. */
  token: string
}

/** Makes a new secret. @param owner digest of the session or the pending sign-in that it is displayed to */
export function newSecret(owner: string, label: { email: string; customerName: string }): NewSecret {
  const secret = new Secret({ size: 20 })
  const issuer = `${label.customerName} · ${new URL(env().baseUrl).hostname}`.replaceAll(':', ' ')
  const uri = URI.stringify(new TOTP({ ...APP, secret, issuer, label: label.email.replaceAll(':', ' ') }))
  const token = sealFor(`shown to ${owner}`, JSON.stringify([secret.base32, Date.now() + CONFIRM_TIMEOUT_MS]))
  const typed = secret.base32.replaceAll(/(.{4})(?=.)/g, '$1 ')
  return { secret: typed, uri, qr: qrCodeOf(uri), token }
}

/** Returns the secret in a token; undefined where it was issued to another owner, or has expired. */
export function openNewSecret(owner: string, token: string): string | undefined {
  const text = unsealFor(`shown to ${owner}`, token)
  if (text === undefined) return undefined
  const [secret, until] = JSON.parse(text) as [string, number]
  return until > Date.now() ? secret : undefined
}

/** Encrypts a secret for storage. */
export function sealSecret(personId: string, secret: string): string {
  return sealFor(`app of ${personId}`, secret)
}

/**
 * Returns the time step of a code; undefined where the code matches none of the current steps. The caller rejects used
 * steps.
 */
export function stepOf(secret: string, code: string, now = Date.now()): number | undefined {
  const totp = new TOTP({ ...APP, secret: Secret.fromBase32(secret) })
  const delta = totp.validate({ token: code, window: WINDOW, timestamp: now })
  return delta === null ? undefined : Math.floor(now / 1000 / PERIOD) + delta
}

/** Like `stepOf`, but takes the encrypted secret. */
export function stepOfSealed(personId: string, sealed: string, code: string): number | undefined {
  const secret = unsealFor(`app of ${personId}`, sealed)
  return secret === undefined ? undefined : stepOf(secret, code)
}

const PURPOSE = 'second factors'

/**
 * Encrypts a text under a key that is derived from FACTOR_SECRET, or else from SESSION_SECRET.
 * @param use purpose and owner: the text can't be decrypted for another use
 */
export function sealFor(use: string, text: string): string {
  return seal(text, { purpose: PURPOSE, context: use, ...factorSecret() })
}

/**
 * Decrypts a text that was encrypted for this use; undefined for anything else. Texts that were encrypted under
 * SESSION_SECRET, before FACTOR_SECRET existed, are decrypted as well.
 */
export function unsealFor(use: string, sealed: string): string | undefined {
  const sealing = { purpose: PURPOSE, context: use }
  return unseal(sealed, { ...sealing, ...factorSecret() }) ?? unseal(sealed, sealing)
}

function factorSecret(): { secret?: string } {
  const { secret } = factorSettings()
  return secret === undefined ? {} : { secret }
}
