import 'server-only'
import { canonicalAddress } from '#lib/platform/caller/limits/addresses.ts'
import { checkSameOrigin } from '#lib/platform/caller/same-origin.ts'
import { session, sessionCookie } from '#lib/platform/caller/session.ts'
import { log, measured } from '#lib/platform/runtime/log.ts'
import type { BrowserClient } from '../sign-in.ts'
import { setDeviceCookie } from '../sign-ins/browsers.ts'
import { pendingCookie } from '../sign-ins/pending.ts'
import { type Begin, beginFreshSignOn, beginSignOn, signOnCookie } from './code-flow.ts'
import { completeSignOn, type SignOnError } from './complete.ts'
import { endSessionUrlOf } from './sessions.ts'

// Answers of the routes under app/auth/sign-on. They set cookies and redirect, so they are not operations of the API.

/**
 * Returns where the sign-in form goes next: to an issuer; nowhere, where none is configured; or nowhere for now, where
 * it is unavailable.
 */
export async function answerBegin(request: Request): Promise<Response> {
  if (!isSameOrigin(request)) return json(403, { kind: 'refused' })
  const fields = await request.formData().catch(() => new FormData())
  const [email, from] = [String(fields.get('email') ?? ''), String(fields.get('from') ?? '/')]
  const caller = fields.get('fresh') === '1' ? await session(request.headers) : undefined
  const begin: () => Promise<Begin> = () =>
    caller ? beginFreshSignOn(caller, from) : beginSignOn(email, from)
  const beginResult = await begin().catch((error: unknown): Begin => {
    log().error({ err: error }, 'single sign-on could not begin')
    return { kind: 'unavailable' }
  })
  if (beginResult.kind !== 'to-issuer') return json(200, beginResult)
  return json(200, { kind: beginResult.kind, location: beginResult.location }, [signOnCookie(beginResult.id)])
}

/**
 * Redirects a browser that returns from an issuer into the console, or to the sign-in page with the reason of a
 * failure.
 */
export async function answerCallback(request: Request, providerId: string): Promise<Response> {
  const { search } = new URL(request.url)
  const completed = await completeSignOn(providerId, search, clientOf(request.headers)).catch(
    (error: unknown) => {
      log().error({ err: error }, 'single sign-on could not be completed')
      return { kind: 'fault', error: 'unavailable' as SignOnError } as const
    },
  )
  const clearedCookie = signOnCookie(undefined)
  if (completed.kind === 'fault') {
    measured('signIn', { outcome: 'failed' })
    return lead(`/sign-in?sign-on=${completed.error}`, [clearedCookie])
  }
  const { outcome, returnTo } = completed
  if (outcome.kind === 'pending') {
    const next = `/sign-in/customer?from=${encodeURIComponent(returnTo)}`
    return lead(next, [clearedCookie, pendingCookie(outcome.id)])
  }
  measured('signIn', { outcome: 'opened' })
  const cookies = [
    clearedCookie,
    pendingCookie(undefined),
    setDeviceCookie(outcome.deviceCookie),
    await sessionCookie(outcome.sid),
  ]
  return lead(returnTo, cookies)
}

/**
 * Returns the end-session address of the issuer, before our session is ended; without `location` the issuer has none.
 */
export async function answerEnd(request: Request): Promise<Response> {
  if (!isSameOrigin(request)) return json(403, {})
  const caller = await session(request.headers)
  const location = caller && (await endSessionUrlOf(caller))
  return json(200, location === undefined ? {} : { location })
}

function isSameOrigin({ headers }: Request): boolean {
  try {
    checkSameOrigin(headers)
    return true
  } catch {
    return false
  }
}

function clientOf(headers: Headers): BrowserClient {
  const text = (name: string) => headers.get(name) ?? ''
  const address = canonicalAddress(text('x-client-address'))
  return { address, userAgent: text('user-agent'), cookies: text('cookie') }
}

const FIXED = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }

function json(status: number, body: object, cookies: readonly string[] = []): Response {
  return withCookies(Response.json(body, { status, headers: FIXED }), cookies)
}

/** Redirects to a relative address, which stays on the requested host. */
function lead(path: string, cookies: readonly string[]): Response {
  return withCookies(new Response(null, { status: 303, headers: { ...FIXED, Location: path } }), cookies)
}

function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append('Set-Cookie', cookie)
  return response
}
