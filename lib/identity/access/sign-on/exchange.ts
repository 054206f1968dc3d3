import 'server-only'
import * as oidc from 'openid-client'
import { callbackOf, configurationFor } from './begin.ts'
import { type Begun, secretsOf } from './begun.ts'
import { remember } from './issuer.ts'
import type { Provider } from './look-up.ts'
import { type Claims, claimsNeeded } from './rules.ts'

/** What an issuer has proven: who somebody is there, and what it says of them. */
export type Proven = { subject: string; claims: Claims; idToken: string }

/**
 * Brings an issuer the code that it gave a browser, and checks what comes back: state, nonce, PKCE, issuer (also that of
 * RFC 9207), audience, signature and times. What the ID token lacks of what we ask for is read from the issuer's userinfo.
 * @param id of the browser's cookie
 * @param search of the address that the browser came back to
 * @throws Error where anything does not fit
 */
export async function exchange(
  provider: Provider,
  { id, begun, search }: { id: string; begun: Begun; search: string },
): Promise<Proven> {
  const configuration = await configurationFor(provider)
  const { state, nonce, verifier } = secretsOf(id)
  const here = new URL(callbackOf(provider.id) + search)
  const tokens = await oidc
    .authorizationCodeGrant(configuration, here, {
      ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
      // That it is asked for has openid-client look for the time; whether it is late enough is asked by `since`.
      ...(begun.freshMember === null ? {} : { maxAge: 24 * 60 * 60 }),
    })
    .finally(() => remember(provider.issuer, configuration))
  const own = tokens.claims()
  if (!own || !tokens.id_token) throw new Error('The issuer gave no ID token.')
  if (own.sub.length > 255 || own.sub === '') throw new Error('The subject is empty or too long.')
  const more = await moreOf(provider, configuration, tokens.access_token, own)
  // One of them might be verified, and the other one not.
  if (own.email !== undefined && more.email !== undefined && own.email !== more.email)
    throw new Error('The ID token and userinfo differ about the address.')
  return { subject: own.sub, claims: { ...more, ...own }, idToken: tokens.id_token }
}

async function moreOf(
  provider: Provider,
  configuration: oidc.Configuration,
  accessToken: string,
  own: oidc.IDToken,
): Promise<Claims> {
  const isWhole = claimsNeeded(provider).every((claim) => own[claim.split('.')[0] ?? ''] !== undefined)
  if (isWhole || configuration.serverMetadata().userinfo_endpoint === undefined) return {}
  return oidc.fetchUserInfo(configuration, accessToken, own.sub)
}
