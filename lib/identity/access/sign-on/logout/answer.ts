import 'server-only'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { findProvider } from '../look-up.ts'
import { endAtIssuer } from './end.ts'
import { isSpent, spend } from './spent.ts'
import { readLogoutToken } from './token.ts'

/** A logout token is some kilobytes at most. In bytes. */
const MOST_BYTES = 16 * 1024

/**
 * Answers an issuer that says whose session has ended there. Whoever is not the issuer learns nothing: what is wrong is answered
 * alike, and a token that was right is answered alike whether it has ended anything.
 * @param providerId of the address that the issuer was given
 */
export async function answerLogout(request: Request, providerId: string): Promise<Response> {
  const [provider, token] = [await findProvider(providerId), await tokenIn(request)]
  if (!provider || token === undefined) return refused()
  const { customerId: customer, issuer } = provider
  const logout = await readLogoutToken(provider, token).catch((error: unknown) => {
    log().warn({ customer, issuer, reason: reasonOf(error).slice(0, 300) }, 'a logout token was refused')
    return undefined
  })
  if (!logout || (await isSpent(providerId, logout.tokenId))) return refused()
  const count = await endAtIssuer(provider, logout)
  await spend(providerId, logout.tokenId)
  log().info({ customer, count }, 'sessions ended by their issuer')
  return new Response(null, { status: 200, headers: FIXED })
}

const FIXED = { 'Cache-Control': 'no-store' }

function refused(): Response {
  return Response.json({ error: 'invalid_request' }, { status: 400, headers: FIXED })
}

/** The token of a form; undefined where there is none, several, or more than one can be. */
async function tokenIn(request: Request): Promise<string | undefined> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers.get('content-type') ?? ''))
    return undefined
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of request.body ?? []) {
    size += part.length
    if (size > MOST_BYTES) return undefined
    parts.push(part)
  }
  const given = new URLSearchParams(Buffer.concat(parts).toString('utf8')).getAll('logout_token')
  return given.length === 1 ? given[0] : undefined
}
