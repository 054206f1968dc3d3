import 'server-only'
import { Secret, TOTP, URI } from 'otpauth'
import { encode } from 'uqr'
import { env } from '#lib/platform/runtime/env.ts'
import { seal, unseal } from '#lib/platform/runtime/secrets.ts'
import { factorSettings } from '../../settings.ts'

/** RFC 6238, as all apps have it. */
const PERIOD = 30
const APP = { algorithm: 'SHA1', digits: 6, period: PERIOD } as const
/** Clocks differ: so many steps before and after the present one count. */
const WINDOW = 1
/** For so long a secret that is shown can be confirmed, in ms. */
const CONFIRM_TIMEOUT_MS = 15 * 60 * 1000

/** A secret that is shown once, and is nobody's until a code confirms it. */
export type NewSecret = {
  /** In groups of four, to be typed. */
  secret: string
  /** What the QR code says. */
  uri: string
  /** The QR code: modules to a side, and the black ones as the path of an SVG. */
  qr: { size: number; path: string }
  /** The secret itself, sealed for whom it is shown to. */
  token: string
}

/** @param owner whom it is shown to: a session's digest or that of a pending sign-in */
export function newSecret(owner: string, label: { email: string; customerName: string }): NewSecret {
  const secret = new Secret({ size: 20 })
  const issuer = `${label.customerName} · ${new URL(env().baseUrl).hostname}`.replaceAll(':', ' ')
  const uri = URI.stringify(new TOTP({ ...APP, secret, issuer, label: label.email.replaceAll(':', ' ') }))
  const { size, data } = encode(uri, { ecc: 'M', border: 4 })
  const path = data.flatMap((row, y) => row.flatMap((isBlack, x) => (isBlack ? `M${x} ${y}h1v1h-1z` : [])))
  const token = sealFor(`shown to ${owner}`, JSON.stringify([secret.base32, Date.now() + CONFIRM_TIMEOUT_MS]))
  const typed = secret.base32.replaceAll(/(.{4})(?=.)/g, '$1 ')
  return { secret: typed, uri, qr: { size, path: path.join('') }, token }
}

/** The secret that a token holds; undefined where it was shown to somebody else, or too long ago. */
export function openNewSecret(owner: string, token: string): string | undefined {
  const text = unsealFor(`shown to ${owner}`, token)
  if (text === undefined) return undefined
  const [secret, until] = JSON.parse(text) as [string, number]
  return until > Date.now() ? secret : undefined
}

/** A secret as it is kept. */
export function sealSecret(personId: string, secret: string): string {
  return sealFor(`app of ${personId}`, secret)
}

/** The time step whose code it is; undefined where it is none of the present ones. Of which one was used, the caller knows. */
export function stepOf(secret: string, code: string, now = Date.now()): number | undefined {
  const totp = new TOTP({ ...APP, secret: Secret.fromBase32(secret) })
  const delta = totp.validate({ token: code, window: WINDOW, timestamp: now })
  return delta === null ? undefined : Math.floor(now / 1000 / PERIOD) + delta
}

/** The same of a secret as it is kept. */
export function stepOfSealed(personId: string, sealed: string, code: string): number | undefined {
  const secret = unsealFor(`app of ${personId}`, sealed)
  return secret === undefined ? undefined : stepOf(secret, code)
}

const PURPOSE = 'second factors'

/**
 * Seals a text under a key that is derived from FACTOR_SECRET, else from SESSION_SECRET.
 * @param use what it is for, and whose it is: sealed for another use it can't be read
 */
export function sealFor(use: string, text: string): string {
  return seal(text, { purpose: PURPOSE, context: use, ...factorSecret() })
}

/**
 * What was sealed for this use; undefined for anything else. What was sealed under SESSION_SECRET, before there was a
 * FACTOR_SECRET, is read too.
 */
export function unsealFor(use: string, sealed: string): string | undefined {
  const sealing = { purpose: PURPOSE, context: use }
  return unseal(sealed, { ...sealing, ...factorSecret() }) ?? unseal(sealed, sealing)
}

function factorSecret(): { secret?: string } {
  const { secret } = factorSettings()
  return secret === undefined ? {} : { secret }
}
