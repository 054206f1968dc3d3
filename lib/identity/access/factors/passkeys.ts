import 'server-only'
import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import { database } from '#lib/platform/db/client.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { log } from '#lib/platform/runtime/log.ts'
import { isSigned, sign } from '#lib/platform/runtime/secrets.ts'
import type { Assertion, Attestation } from '../../second-factors/contract.ts'
import type { Factor } from './rules.ts'

/** Stored passkey, with the public key that verifies its signatures. */
export type StoredPasskey = { credential: string; publicKey: string; counter: number }

/** Use of the challenges that passkeys answer during sign-in. */
export const SIGN_IN = 'sign-in'

/** COSE identifiers of the algorithms that authenticators support: EdDSA, ES256 and RS256. */
const ALGORITHMS = [-8, -7, -257]

const descriptorsOf = (factors: readonly Factor[]) =>
  factors.flatMap(({ credential, transports }) =>
    credential === null ? [] : [{ id: credential, ...(transports ? { transports: [...transports] } : {}) }],
  )

/**
 * Returns the options with which a browser requests a passkey; undefined where the site can't use passkeys.
 * @param use purpose that the challenge is bound to
 * @param factors of a known person, to confirm their identity; without them any passkey may answer, and must identify
 * its owner by itself
 */
export async function requestOptions(use: string, factors?: readonly Factor[]) {
  const party = relyingParty()
  if (typeof party === 'string') return undefined
  return generateAuthenticationOptions({
    rpID: party.id,
    challenge: newChallenge(use),
    timeout: 120_000,
    userVerification: factors ? 'preferred' : 'required',
    ...(factors ? { allowCredentials: descriptorsOf(factors) } : {}),
  })
}

/**
 * Returns the options with which a browser registers a passkey.
 * @param whose account to which an authenticator stores at most one passkey
 */
export async function makingOptions(
  use: string,
  { email, whose, present }: { email: string; whose: string; present: readonly Factor[] },
) {
  const party = relyingParty()
  if (typeof party === 'string') return undefined
  return generateRegistrationOptions({
    rpName: 'Licenses & Invoices',
    rpID: party.id,
    userName: email,
    userID: new Uint8Array(Buffer.from(digestOf(`passkeys of ${whose}`), 'hex')),
    challenge: newChallenge(use),
    timeout: 120_000,
    attestationType: 'none',
    excludeCredentials: descriptorsOf(present),
    supportedAlgorithmIDs: ALGORITHMS,
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  })
}

/** Returns the registered passkey, where the browser's answer matches an unused challenge for this use. */
export async function madePasskey(
  use: string,
  response: Attestation,
): Promise<(StoredPasskey & { transports: string[] }) | undefined> {
  const registration = await checked(async (party) => {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: response as Parameters<typeof verifyRegistrationResponse>[0]['response'],
      expectedChallenge: (challenge) => isOurs(use, challenge),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    return registrationInfo?.credential
  })
  if (!registration || !(await consumeChallenge(challengeIn(response)))) return undefined
  const { id, publicKey, counter } = registration
  const transports = response.response.transports ?? []
  return { credential: id, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports }
}

/**
 * Returns whether a passkey has signed an unused challenge for this use.
 * @returns its new counter, and whether the user was verified
 */
export async function answeredBy(
  use: string,
  response: Assertion,
  { credential, publicKey, counter }: StoredPasskey,
): Promise<{ counter: number; isVerified: boolean } | undefined> {
  const authentication = await checked(async (party) => {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as Parameters<typeof verifyAuthenticationResponse>[0]['response'],
      expectedChallenge: (challenge) => isOurs(use, challenge),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: false,
      credential: { id: credential, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter },
    })
    return verified ? authenticationInfo : undefined
  })
  if (!authentication || !(await consumeChallenge(challengeIn(response)))) return undefined
  return { counter: authentication.newCounter, isVerified: authentication.userVerified }
}

/**
 * Runs a verification; any error results in undefined, so the sender does not learn the reason. The reason is logged.
 */
async function checked<T>(check: (party: RelyingParty) => Promise<T>): Promise<T | undefined> {
  const party = relyingParty()
  if (typeof party === 'string') return undefined
  return check(party).catch((error: unknown) => {
    log().info({ reason: error instanceof Error ? error.message.slice(0, 200) : '' }, 'passkey refused')
    return undefined
  })
}

function challengeIn({ response }: { response: { clientDataJSON: string } }): string {
  return String(JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString('utf8')).challenge)
}

/** Site that passkeys are bound to. */
type RelyingParty = { id: string; origin: string }

/**
 * Reason why browsers can't make passkeys here: the host of BASE_URL is an IP address, or the context is not secure.
 */
export type Hindrance = 'address' | 'not-safe'

/**
 * Relying party for WebAuthn, from BASE_URL. A host that is an IP address can't use passkeys, and only `localhost` can
 * without https.
 */
export function relyingParty(): RelyingParty | Hindrance {
  const { hostname, origin, protocol } = new URL(env().baseUrl)
  if (isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0) return 'address'
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  return protocol === 'https:' || isLocal ? { id: hostname, origin } : 'not-safe'
}

// A passkey signs a challenge of this server. The challenge contains its expiry and a signature, so that requesting one
// writes nothing to the database; a challenge that was answered correctly is stored, and rejected from then on
// (replay).

const SECONDS = 5 * 60
const RANDOM = 16
const TIME = 6

const PURPOSE = 'challenges of passkeys'

/** @param use purpose and owner of the challenge: an answer is valid for no other use */
function newChallenge(use: string, now = Date.now()): Uint8Array<ArrayBuffer> {
  const time = Buffer.alloc(TIME)
  time.writeUIntBE(now + SECONDS * 1000, 0, TIME)
  const payload = Buffer.concat([time, randomBytes(RANDOM)])
  return new Uint8Array(Buffer.concat([payload, sign(PURPOSE, payload, use)]))
}

/**
 * Returns whether this server issued the challenge for this use, and it has not expired.
 * @param challenge in base64url
 */
function isOurs(use: string, challenge: string, now = Date.now()): boolean {
  const bytes = Buffer.from(challenge, 'base64url')
  if (bytes.length !== TIME + RANDOM + 32) return false
  const payload = bytes.subarray(0, TIME + RANDOM)
  return isSigned(bytes.subarray(TIME + RANDOM), PURPOSE, payload, use) && payload.readUIntBE(0, TIME) > now
}

/** Consumes a challenge. @returns false where it was consumed before: only one of two concurrent requests succeeds */
async function consumeChallenge(challenge: string): Promise<boolean> {
  const once = 'INSERT INTO spent_challenges (digest) VALUES ($1) ON CONFLICT DO NOTHING'
  return (await database().signIn.query(once, [digestOf(`challenge ${challenge}`)])).rowCount === 1
}

/** Removes expired challenges. @returns how many */
export async function pruneChallenges(): Promise<number> {
  const old = `DELETE FROM spent_challenges WHERE at < now() - interval '${2 * SECONDS} seconds'`
  return (await database().signIn.query(old)).rowCount ?? 0
}
