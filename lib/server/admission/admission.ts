import type { IncomingMessage } from 'node:http'
import { Problem } from '#lib/platform/api/problem.ts'
import { canonicalAddress, networkOf } from '#lib/platform/caller/limits/addresses.ts'
import { buckets } from '#lib/platform/caller/limits/buckets.ts'
import { bucketFields, credentialOf, wasAuthenticated } from '#lib/platform/caller/limits/counted-caller.ts'
import type { LimitConfig } from '#lib/platform/caller/limits/settings.ts'
import { session, sessionDigest } from '#lib/platform/caller/session.ts'
import { auditThrottled } from '#lib/platform/history/requests.ts'
import { log, measured, reasonOf, runWithRequestContext } from '#lib/platform/runtime/log.ts'
import type { Target } from '../target.ts'
import { weightOf } from './weights.ts'

/**
 * Client of a request: a member by their cookie, or unknown; and the header fields with the state of its address's
 * limit.
 */
export type AdmittedClient = {
  isMember: boolean
  /** Digest of the member's session. */
  session?: string
  fields?: Record<string, string>
  /**
   * Counts further work of this request against the limit of its address.
   * @throws Problem `rate_limited`
   */
  charge?(weight: number): void
}

/**
 * Decides about a request before any work is done for it.
 * @param address result of `clientAddress`
 * @throws Problem `rate_limited`
 */
export type Admission = (req: IncomingMessage, target: Target, address: string) => Promise<AdmittedClient>

/** Options of a check: the number of requests that it counts as, the error message, and the record of a rejection. */
type Checked = { weight?: number; detail?: string; audit?: () => void }

const ANONYMOUS: AdmittedClient = { isMember: false }

/** Share of a minute's requests that may arrive in one burst. */
const BURST = 1 / 3
/**
 * Factor of the limit for assets: a page has about a dozen scripts, styles and fonts, each of which costs a tenth of
 * the page.
 */
const ASSETS = 10
const FROM_HERE = 'Too many requests come from this address.'
const SIGN_INS = ['/api/auth/callback/credentials', '/auth/sign-on/begin']

/**
 * Limits requests of unknown clients by address, without the database (token buckets). A recently authenticated key or
 * cookie counts as its caller, whom the API limits. Members' pages count by session. Health checks are unlimited.
 */
export function admission({ strangers, signIns, requests }: LimitConfig, trustProxy: boolean): Admission {
  const bucketsOf = (perMinute: number) => buckets(perMinute, Math.max(1, Math.floor(perMinute * BURST)))
  const limits = {
    strangers: bucketsOf(strangers),
    assets: bucketsOf(strangers * ASSETS),
    'sign-ins': bucketsOf(signIns),
    pages: bucketsOf(requests),
  }
  const auditPages = throttledPagesAuditor()
  const check = (
    limit: keyof typeof limits,
    name: string,
    { weight = 1, detail = FROM_HERE, audit = () => {} }: Checked = {},
  ) => {
    const { perMinute } = limits[limit]
    const bucketState = limits[limit].consume(name, weight)
    const fields = bucketFields(limit, perMinute, bucketState)
    if (bucketState.wait === 0) return fields
    measured('limit', { limit })
    audit()
    throw tooMany(bucketState.wait, fields, detail, trustProxy)
  }
  const anonymous = (target: Target, network: string): AdmittedClient => {
    const limit = SIGN_INS.some((one) => target.path.startsWith(one)) ? 'sign-ins' : 'strangers'
    const weight = limit === 'sign-ins' ? 1 : weightOf(target)
    const charge = (more: number) => {
      check(limit, network, { weight: more })
    }
    return { isMember: false, fields: check(limit, network, { weight }), charge }
  }
  return async (req, target, address) => {
    const { area, path } = target
    if (area === 'health') return ANONYMOUS
    const network = networkOf(address)
    const headers = { get: (name: string) => headerOf(req, name) }
    const member = area === 'page' ? await sessionDigest(headers) : undefined
    if (member !== undefined) {
      const requestInfo = {
        requestId: headers.get('request-id') ?? '',
        address,
        agent: req.headers['user-agent'],
      }
      const audit = () => auditPages(member, headers, requestInfo)
      return {
        isMember: true,
        session: member,
        fields: check('pages', member, { detail: 'Too many pages are asked for.', audit }),
      }
    }
    if (area === 'asset') check('assets', network)
    else if (area !== 'api' || isForNobody(path) || !isAuthenticated(headers))
      return anonymous(target, network)
    return ANONYMOUS
  }
}

/** Returns whether a call ignores keys and sessions: its client counts as unknown even with a credential. */
function isForNobody(path: string): boolean {
  return path.startsWith('/calendar/')
}

function isAuthenticated(headers: { get(name: string): string | null }): boolean {
  const credential = credentialOf(headers)
  return credential !== undefined && wasAuthenticated(credential)
}

function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name]
  return value === undefined ? null : String(value)
}

/**
 * Returns the problem of a throttled request. It closes the connection of an unknown client, but not that of a proxy,
 * which carries other clients.
 */
function tooMany(
  waitMs: number,
  fields: Record<string, string>,
  detail: string,
  trustProxy: boolean,
): Problem {
  const wait = { ...fields, 'Retry-After': String(Math.ceil(waitMs / 1000)) }
  const headers = trustProxy ? wait : { ...wait, Connection: 'close' }
  return new Problem('rate_limited', detail, { headers })
}

type RequestInfo = { requestId: string; address: string; agent: string | undefined }

/**
 * Returns a function that records a session's throttled pages in the audit log, once a minute. Finding its member takes
 * a lookup, so more records would cause the load that the limit prevents. The request does not wait for the record.
 * @param digest of the session
 */
export function throttledPagesAuditor() {
  const minute = buckets(1, 1)
  return (digest: string, headers: { get(name: string): string | null }, requestInfo: RequestInfo): void => {
    if (minute.consume(digest).wait > 0) return
    const audit = async () => {
      const caller = await session(headers)
      if (caller) await auditThrottled(caller, 'pages')
    }
    runWithRequestContext(requestInfo, audit).catch((error: unknown) => {
      const { requestId } = requestInfo
      log().warn({ requestId, reason: reasonOf(error) }, 'a refusal is not in the history')
    })
  }
}

/**
 * Returns the canonical address of the client: that of the connection, or behind a trusted proxy the last entry of
 * X-Forwarded-For.
 */
export function clientAddress({ headers, socket }: IncomingMessage, trustProxy: boolean): string {
  const socketAddress = canonicalAddress(socket.remoteAddress ?? '')
  const forwarded = headers['x-forwarded-for']
  if (!trustProxy || forwarded === undefined) return socketAddress
  return canonicalAddress(String(forwarded).split(',').at(-1) ?? '') || socketAddress
}
