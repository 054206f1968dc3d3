import 'server-only'
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { digestOf } from '#lib/platform/caller/api-key.ts'
import { log } from '#lib/platform/runtime/log.ts'
import type { Assertion, Attestation } from '../../second-factors/contract.ts'
import { isOurs, newChallenge, spend } from './challenges.ts'
import { type RelyingParty, relyingParty } from './relying-party.ts'
import type { Factor } from './rules.ts'

/** A passkey as it is kept, with what its signatures are checked by. */
export type KeptPasskey = { credential: string; publicKey: string; counter: number }

/** The use of the challenges that passkeys answer on the way of a sign-in. */
export const SIGN_IN = 'sign-in'

/** EdDSA, ES256 and RS256 of COSE: what authenticators have. */
const ALGORITHMS = [-8, -7, -257]

const descriptorsOf = (factors: readonly Factor[]) =>
  factors.flatMap(({ credential, transports }) =>
    credential === null ? [] : [{ id: credential, ...(transports ? { transports: [...transports] } : {}) }],
  )

/**
 * What a browser needs to ask for a passkey; undefined where there can be none.
 * @param use what its answer is to count for
 * @param factors of whoever is known already, who is asked to confirm; else any passkey will do, and it alone proves who it is
 */
export async function askingOptions(use: string, factors?: readonly Factor[]) {
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

/** What a browser needs to make a passkey. @param whose tells apart what an authenticator keeps at most one of */
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

/** A new passkey, where what the browser made answers a challenge of ours for this use, once. */
export async function madePasskey(
  use: string,
  response: Attestation,
): Promise<(KeptPasskey & { transports: string[] }) | undefined> {
  const found = await checked(async (party) => {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: response as Parameters<typeof verifyRegistrationResponse>[0]['response'],
      expectedChallenge: (given) => isOurs(use, given),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    return registrationInfo?.credential
  })
  if (!found || !(await spend(challengeIn(response)))) return undefined
  const { id, publicKey, counter } = found
  const transports = response.response.transports ?? []
  return { credential: id, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports }
}

/**
 * Whether a passkey has signed a challenge of ours for this use, once.
 * @returns its new counter, and whether it has made sure who holds it
 */
export async function answeredBy(
  use: string,
  response: Assertion,
  { credential, publicKey, counter }: KeptPasskey,
): Promise<{ counter: number; isVerified: boolean } | undefined> {
  const found = await checked(async (party) => {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as Parameters<typeof verifyAuthenticationResponse>[0]['response'],
      expectedChallenge: (given) => isOurs(use, given),
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: false,
      credential: { id: credential, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter },
    })
    return verified ? authenticationInfo : undefined
  })
  if (!found || !(await spend(challengeIn(response)))) return undefined
  return { counter: found.newCounter, isVerified: found.userVerified }
}

/** Whatever is wrong with an answer is the same to whoever gave it. The log has a word on why. */
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
