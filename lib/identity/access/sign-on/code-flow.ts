import 'server-only'
import { createHash, randomBytes } from 'node:crypto'
import * as oidc from 'openid-client'
import { cookieValue, setCookie } from '#lib/platform/caller/cookies.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import { type Caller, localPath } from '#lib/platform/caller/rules.ts'
import { database } from '#lib/platform/db/client.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { findOpening, findProvider, findProviderOf, type Provider } from './find-provider.ts'
import { CLOCK_TOLERANCE_SECONDS, configurationOf, remember } from './issuer.ts'
import { type Claims, claimsNeeded, domainOf } from './rules.ts'

/** Next address for the browser, with the id for its cookie. `none`: the address has no single sign-on. */
export type Begin =
  | { kind: 'to-issuer'; location: string; id: string }
  | { kind: 'none' }
  | { kind: 'unavailable' }

/**
 * Starts a sign-in at the issuer of an address's domain, whether the address is known or not.
 * @param from path to return to; any other address is replaced by the start page
 */
export async function beginSignOn(email: string, from: string): Promise<Begin> {
  const domain = domainOf(email)
  const provider = domain === undefined ? undefined : await findProviderOf(domain)
  if (!provider) return { kind: 'none' }
  return lead(provider, { login_hint: email.trim() }, { returnTo: localPath(from), freshMember: null })
}

/** Starts a reauthentication at the provider that opened the member's session. */
export async function beginFreshSignOn(
  { customerId, id, email, session }: Caller,
  from: string,
): Promise<Begin> {
  const opening = session === undefined ? undefined : await findOpening(customerId, session)
  const provider = opening && (await findProvider(opening.providerId))
  if (!provider) return { kind: 'none' }
  const reauthentication = { login_hint: email, prompt: 'login', max_age: '0' }
  return lead(provider, reauthentication, { returnTo: localPath(from), freshMember: id })
}

/**
 * Returns the callback address of a provider. Each provider has its own, so that none can answer for another (mix-up
 * attack).
 */
export function callbackOf(providerId: string): string {
  return `${env().baseUrl}/auth/sign-on/callback/${providerId}`
}

/**
 * Returns the configuration of openid-client for a provider.
 * @throws Error where its secret can't be read, or its issuer not be reached
 */
export async function configurationFor(provider: Provider): Promise<oidc.Configuration> {
  const { clientSecret } = provider
  if (clientSecret === undefined)
    throw new Error('The client secret was sealed with another SESSION_SECRET: set it again.')
  return configurationOf({ ...provider, clientSecret })
}

async function lead(
  provider: Provider,
  more: Record<string, string>,
  pendingSignOn: { returnTo: string; freshMember: string | null },
): Promise<Begin> {
  try {
    const configuration = await configurationFor(provider)
    const id = await addPendingSignOn({ providerId: provider.id, ...pendingSignOn })
    const { state, nonce, verifier } = secretsOf(id)
    const location = oidc.buildAuthorizationUrl(configuration, {
      ...{ redirect_uri: callbackOf(provider.id), scope: provider.scopes.join(' '), state, nonce, ...more },
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    return { kind: 'to-issuer', location: location.href, id }
  } catch (error) {
    const { customerId: customer, issuer } = provider
    log().warn({ customer, issuer, reason: reasonOf(error).slice(0, 300) }, 'single sign-on is not available')
    return { kind: 'unavailable' }
  }
}

/** Identity verified by an issuer: its subject, claims and ID token. */
export type IssuerIdentity = { subject: string; claims: Claims; idToken: string }

/**
 * Exchanges the authorization code for tokens, and verifies state, nonce, PKCE, issuer (also by RFC 9207), audience,
 * signature and times. Reads claims that the ID token lacks from the userinfo endpoint.
 * @param id value of the browser's cookie
 * @param search query string of the callback
 * @throws Error where a check fails
 */
export async function exchange(
  provider: Provider,
  { id, pendingSignOn, search }: { id: string; pendingSignOn: PendingSignOn; search: string },
): Promise<IssuerIdentity> {
  const configuration = await configurationFor(provider)
  const { state, nonce, verifier } = secretsOf(id)
  const here = new URL(callbackOf(provider.id) + search)
  const tokens = await oidc
    .authorizationCodeGrant(configuration, here, {
      ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
      // `maxAge` makes openid-client require the authentication time; `since` decides whether it is recent enough.
      ...(pendingSignOn.freshMember === null ? {} : { maxAge: 24 * 60 * 60 }),
    })
    .finally(() => remember(provider.issuer, configuration))
  const idClaims = tokens.claims()
  if (!idClaims || !tokens.id_token) throw new Error('The issuer gave no ID token.')
  // openid-client does not compare it: a token from the future would be a token without an end.
  if (idClaims.iat > Date.now() / 1000 + CLOCK_TOLERANCE_SECONDS)
    throw new Error('The ID token was issued in the future.')
  if (idClaims.sub.length > 255 || idClaims.sub === '') throw new Error('The subject is empty or too long.')
  const more = await moreOf(provider, configuration, tokens.access_token, idClaims)
  // One address might be verified, and the other not.
  if (idClaims.email !== undefined && more.email !== undefined && idClaims.email !== more.email)
    throw new Error('The ID token and userinfo differ about the address.')
  return { subject: idClaims.sub, claims: { ...more, ...idClaims }, idToken: tokens.id_token }
}

async function moreOf(
  provider: Provider,
  configuration: oidc.Configuration,
  accessToken: string,
  idClaims: oidc.IDToken,
): Promise<Claims> {
  const isWhole = claimsNeeded(provider).every((claim) => idClaims[claim.split('.')[0] ?? ''] !== undefined)
  if (isWhole || configuration.serverMetadata().userinfo_endpoint === undefined) return {}
  return oidc.fetchUserInfo(configuration, accessToken, idClaims.sub)
}

// A pending sign-on is a short-lived row, between redirect and callback, with a cookie of its own in the browser.
// State, nonce and PKCE verifier are derived from the cookie, so a callback in another browser does not match (login
// CSRF).

const SECONDS = 10 * 60

/** Stored state of a sign-on between redirect and callback. */
export type PendingSignOn = {
  providerId: string
  returnTo: string
  /** Member who has to reauthenticate; null: a new sign-in. */
  freshMember: string | null
  /** Time of the redirect, in milliseconds since 1970. */
  since: number
}

/** Derives the secrets of one sign-on. */
function secretsOf(id: string) {
  const derive = (use: string) => createHash('sha256').update(`${use} ${id}`).digest('base64url')
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') }
}

/** Stores a pending sign-on. @returns the id for the browser's cookie */
async function addPendingSignOn(signOn: Omit<PendingSignOn, 'since'>): Promise<string> {
  const id = randomBytes(32).toString('base64url')
  await database().signIn.query(
    'INSERT INTO begun_sign_ons (digest, provider_id, return_to, fresh_member) VALUES ($1, $2, $3, $4)',
    [digestOf(`sign-on ${id}`), signOn.providerId, signOn.returnTo, signOn.freshMember],
  )
  return id
}

/** Returns the id in a request's cookie. */
export function pendingSignOnIdOf(cookies: string): string | undefined {
  return cookieValue(cookies, 'signOn') || undefined
}

/** Consumes a pending sign-on: only one of two concurrent callbacks finds it. */
export async function consumePendingSignOn(id: string): Promise<PendingSignOn | undefined> {
  const { rows } = await database().signIn.query<PendingSignOn>(
    `DELETE FROM begun_sign_ons WHERE digest = $1 AND created_at > now() - interval '${SECONDS} seconds'
     RETURNING provider_id AS "providerId", return_to AS "returnTo", fresh_member AS "freshMember",
       (extract(epoch FROM created_at) * 1000)::float8 AS since`,
    [digestOf(`sign-on ${id}`)],
  )
  return rows[0]
}

/** Removes expired pending sign-ons. @returns how many */
export async function prunePendingSignOns(): Promise<number> {
  const old = `DELETE FROM begun_sign_ons WHERE created_at < now() - interval '${SECONDS} seconds'`
  return (await database().signIn.query(old)).rowCount ?? 0
}

/** Returns the Set-Cookie header that stores the id in a browser, or deletes it. */
export function signOnCookie(id: string | undefined): string {
  return setCookie('signOn', id ?? '', id === undefined ? 0 : SECONDS)
}
