import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, eq, inArray, isNull, or } from 'drizzle-orm'
import { createRemoteJWKSet, customFetch, type JWTPayload, jwtVerify } from 'jose'
import { toProblem } from '#lib/platform/api/error-mapper.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import { endSessions } from '#lib/platform/caller/session.ts'
import { database, type Transaction } from '#lib/platform/db/client.ts'
import { sessions } from '#lib/platform/db/schema/access/sign-ins.ts'
import { signOnSessions } from '#lib/platform/db/schema/access/sign-on.ts'
import { members } from '#lib/platform/db/schema/customers.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { recordAudit } from '#lib/platform/history/audit.ts'
import { log, logFailure, reasonOf, requestContext } from '#lib/platform/runtime/log.ts'
import { issuerDigest } from '../people/session-credential.ts'
import { configurationFor } from './code-flow.ts'
import { findProvider, type Provider } from './find-provider.ts'
import { fetchIssuer } from './outbound.ts'

/** Largest logout request, in bytes; a token has some kilobytes. */
const MAX_BYTES = 16 * 1024

/**
 * Answers a back-channel logout of an issuer. Other senders learn nothing: all invalid tokens get the same answer, and
 * all valid ones too, whether sessions were ended or not.
 * @param providerId id in the path that the issuer was configured with
 */
export async function answerLogout(request: Request, providerId: string): Promise<Response> {
  const token = await tokenIn(request)
  if (token === undefined) return invalidRequest()
  return logOut(providerId, token).catch((error: unknown) => {
    // The issuer may send it again: Next would answer 500, without a Retry-After.
    const problem = toProblem(error)
    logFailure(problem, error, requestContext()?.requestId ?? '')
    return new Response(null, { status: problem.status, headers: { ...FIXED, ...problem.more.headers } })
  })
}

async function logOut(providerId: string, token: string): Promise<Response> {
  const provider = await findProvider(providerId)
  if (!provider) return invalidRequest()
  const { customerId: customer, issuer } = provider
  const logout = await readLogoutToken(provider, token).catch((error: unknown) => {
    log().warn({ customer, issuer, reason: reasonOf(error).slice(0, 300) }, 'a logout token was refused')
    return undefined
  })
  if (!logout || (await isUsed(providerId, logout.tokenId))) return invalidRequest()
  const count = await endAtIssuer(provider, logout)
  await recordUse(providerId, logout.tokenId)
  log().info({ customer, count }, 'sessions ended by their issuer')
  return new Response(null, { status: 200, headers: FIXED })
}

const FIXED = { 'Cache-Control': 'no-store' }

function invalidRequest(): Response {
  return Response.json({ error: 'invalid_request' }, { status: 400, headers: FIXED })
}

/** Returns the token of a form; undefined where it is missing, repeated or too long. */
async function tokenIn(request: Request): Promise<string | undefined> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers.get('content-type') ?? ''))
    return undefined
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of request.body ?? []) {
    size += part.length
    if (size > MAX_BYTES) return undefined
    parts.push(part)
  }
  const tokens = new URLSearchParams(Buffer.concat(parts).toString('utf8')).getAll('logout_token')
  return tokens.length === 1 ? tokens[0] : undefined
}

/** Sessions that ended at the issuer: those of a subject, the one that it names, or both. */
type Logout = { subject?: string | undefined; issuerSession?: string | undefined; tokenId: string }

/** Lifetime of a logout token, in seconds, plus 30 for differing clocks. */
const TOKEN_SECONDS = 5 * 60
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** Asymmetric signature algorithms. Those by the client's secret, and `none`, are rejected. */
const SIGNATURES = ['RS', 'PS', 'ES'].flatMap((kind) => ['256', '384', '512'].map((size) => kind + size))
const TYPES = [undefined, 'jwt', 'logout+jwt', 'application/logout+jwt']

/** Key sets of issuers, by address: jose reloads a set for an unknown key, at most twice a minute. */
const keys = new Map<string, ReturnType<typeof createRemoteJWKSet>>()

/**
 * Verifies a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6), except for reuse.
 * @throws Error where a check fails, or the issuer does not answer
 */
async function readLogoutToken(provider: Provider, token: string): Promise<Logout> {
  const { jwks_uri } = (await configurationFor(provider)).serverMetadata()
  const { payload, protectedHeader } = await jwtVerify(token, keysAt(String(jwks_uri)), {
    issuer: provider.issuer,
    audience: provider.clientId,
    algorithms: [...SIGNATURES, 'EdDSA', 'Ed25519'],
    clockTolerance: 30,
    maxTokenAge: TOKEN_SECONDS,
    requiredClaims: ['jti', 'events'],
  })
  // An ID token lacks the logout event, and a token with a nonce was made for a sign-in.
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
  const cached = keys.get(address)
  if (cached) return cached
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

/** @throws Error where the claim is not a text of 1 to 255 characters */
function textOf(claim: unknown): string | undefined {
  if (claim === undefined) return undefined
  if (typeof claim !== 'string' || claim === '' || claim.length > 255) throw new Error('A claim is no text.')
  return claim
}

const digestOfToken = (providerId: string, tokenId: string) => digestOf(`logout ${providerId} ${tokenId}`)

/** Returns whether a provider's logout token with this id was used before (replay). */
async function isUsed(providerId: string, tokenId: string): Promise<boolean> {
  const query = 'SELECT FROM spent_logout_tokens WHERE digest = $1'
  return (await database().signIn.query(query, [digestOfToken(providerId, tokenId)])).rowCount === 1
}

/** Marks a logout token as used, after its sessions were ended, so that an issuer can repeat a failed request. */
async function recordUse(providerId: string, tokenId: string): Promise<void> {
  const once = 'INSERT INTO spent_logout_tokens (digest) VALUES ($1) ON CONFLICT DO NOTHING'
  await database().signIn.query(once, [digestOfToken(providerId, tokenId)])
}

/** Removes tokens that have expired anyway. @returns how many */
export async function pruneLogouts(): Promise<number> {
  const old = `DELETE FROM spent_logout_tokens WHERE at < now() - interval '${2 * TOKEN_SECONDS} seconds'`
  return (await database().signIn.query(old)).rowCount ?? 0
}

/**
 * Ends the sessions that a provider has opened: those of a subject, or the one that the issuer names; where a session's
 * name is unknown, those of the subject. Pending sign-ins end as well.
 * @returns how many sessions
 */
async function endAtIssuer(
  { customerId, id: providerId }: Provider,
  { subject, issuerSession }: Omit<Logout, 'tokenId'>,
): Promise<number> {
  const credentialDigest = subject === undefined ? undefined : issuerDigest(providerId, subject)
  await database().signIn.query(
    'DELETE FROM pending_sign_ins WHERE provider_id = $1 AND ($2::text IS NULL OR proof = $2)',
    [providerId, credentialDigest ?? null],
  )
  const run = async (tx: Transaction) => {
    const named = eq(signOnSessions.issuerSession, issuerSession ?? '')
    const which = and(
      eq(signOnSessions.customerId, customerId),
      eq(signOnSessions.providerId, providerId),
      issuerSession === undefined
        ? undefined
        : credentialDigest === undefined
          ? named
          : or(named, isNull(signOnSessions.issuerSession)),
      credentialDigest === undefined ? undefined : eq(sessions.proof, credentialDigest),
    )
    const rows = await tx
      .select({ digest: sessions.digest, id: members.id, name: members.name, email: members.email })
      .from(signOnSessions)
      .innerJoin(
        sessions,
        and(eq(sessions.customerId, signOnSessions.customerId), eq(sessions.digest, signOnSessions.digest)),
      )
      .innerJoin(members, and(eq(members.customerId, sessions.customerId), eq(members.id, sessions.memberId)))
      .where(which)
    if (rows.length === 0) return 0
    await endSessions(
      tx,
      customerId,
      inArray(
        sessions.digest,
        rows.map(({ digest }) => digest),
      ),
    )
    for (const { id, name } of new Map(rows.map((one) => [one.id, one])).values())
      await recordAudit(tx, customerId, {
        action: 'session.ended',
        subject: id,
        actor: { kind: 'member', id, name },
        requestId: requestContext()?.requestId ?? randomUUID(),
        details: { why: 'signed out at the issuer' },
      })
    return rows.length
  }
  return scope({ customerId }, run, { evenIfClosed: true })
}
