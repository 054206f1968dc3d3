import 'server-only'
import { createRemoteJWKSet, customFetch, type JWTPayload, jwtVerify } from 'jose'
import { configurationFor } from '../begin.ts'
import type { Provider } from '../look-up.ts'
import { fetchIssuer } from '../outbound.ts'

/** Whose session has ended at the issuer: of a subject, one that it names, or both. */
export type Logout = { subject?: string | undefined; issuerSession?: string | undefined; tokenId: string }

/** A logout token counts for so long after it was made, in seconds, and 30 more for clocks that differ. */
export const TOKEN_SECONDS = 5 * 60
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** Signatures that the issuer's public keys check. One by the client's secret, or none, is refused. */
const SIGNATURES = ['RS', 'PS', 'ES'].flatMap((kind) => ['256', '384', '512'].map((size) => kind + size))
const TYPES = [undefined, 'jwt', 'logout+jwt', 'application/logout+jwt']

/** The keys of issuers, by their address: jose asks for them anew, at most twice a minute, where one is not among them. */
const keys = new Map<string, ReturnType<typeof createRemoteJWKSet>>()

/**
 * Reads a logout token, as OpenID Connect Back-Channel Logout 1.0 asks (section 2.6). Whether it was used before is not asked.
 * @throws Error where anything does not fit, or the issuer gives no answer
 */
export async function readLogoutToken(provider: Provider, token: string): Promise<Logout> {
  const { jwks_uri } = (await configurationFor(provider)).serverMetadata()
  const { payload, protectedHeader } = await jwtVerify(token, keysAt(String(jwks_uri)), {
    issuer: provider.issuer,
    audience: provider.clientId,
    algorithms: [...SIGNATURES, 'EdDSA', 'Ed25519'],
    clockTolerance: 30,
    maxTokenAge: TOKEN_SECONDS,
    requiredClaims: ['jti', 'events'],
  })
  // An ID token says nothing of a logout, and what has a nonce was made for a sign-in.
  if (!TYPES.includes(protectedHeader.typ?.toLowerCase())) throw new Error('The token is of another type.')
  if (!hasEvent(payload.events)) throw new Error('The token tells of no logout.')
  if (payload.nonce !== undefined) throw new Error('The token has a nonce.')
  const { jti, sub, sid } = payload
  const [tokenId, subject, issuerSession] = [textOf(jti), textOf(sub), textOf(sid)]
  if (tokenId === undefined) throw new Error('The token has no id.')
  if (subject === undefined && issuerSession === undefined) throw new Error('The token names nobody.')
  return { tokenId, subject, issuerSession }
}

function keysAt(address: string): ReturnType<typeof createRemoteJWKSet> {
  const known = keys.get(address)
  if (known) return known
  const made = createRemoteJWKSet(new URL(address), {
    [customFetch]: (url, { method, headers, signal }) =>
      fetchIssuer(url, {
        method,
        headers: Object.fromEntries(headers),
        signal,
        body: undefined,
        redirect: 'manual',
      }),
  })
  keys.set(address, made)
  return made
}

function hasEvent(events: JWTPayload['events']): boolean {
  const event =
    typeof events === 'object' && events !== null ? (events as Record<string, unknown>)[EVENT] : undefined
  return typeof event === 'object' && event !== null && !Array.isArray(event)
}

/** @throws Error where it is something else than a text of a length that issuers give */
function textOf(claim: unknown): string | undefined {
  if (claim === undefined) return undefined
  if (typeof claim !== 'string' || claim === '' || claim.length > 255) throw new Error('A claim is no text.')
  return claim
}
