import 'server-only'
import { hash } from 'node:crypto'
import { Problem } from '#lib/platform/api/problem.ts'
import { auditThrottled } from '#lib/platform/history/requests.ts'
import { measured } from '#lib/platform/runtime/log.ts'
import { authenticate } from '../authenticate.ts'
import { cookieValue } from '../cookies.ts'
import type { ApiSurface, Caller } from '../rules.ts'
import type { BucketState } from './buckets.ts'
import { acquireQuota, type Budget, budget, type Kind, type Lease, WINDOW_SECONDS } from './budget.ts'
import { limitSettings } from './settings.ts'

/** Caller of a counted request, with the header fields for the limits. */
export type Counted = { caller: Caller; fields: Record<string, string> }

/**
 * Authenticates a request and counts it against the caller's limits; undefined for an unauthenticated one.
 * @param kind returns the request's quota, and is called for an authenticated caller only
 * @throws Problem `unauthenticated` for a header without a valid key, `rate_limited`
 */
export async function countedCaller(
  headers: { get(name: string): string | null },
  kind: () => Kind,
  surface: ApiSurface = 'api',
): Promise<Counted | undefined> {
  const credential = credentialOf(headers)
  if (credential === undefined) return undefined
  const cachedError = cachedLimitError(credential)
  if (cachedError) throw counted(cachedError)
  const caller = await authenticated(headers, credential, surface)
  if (!caller) return undefined
  const requestKind = kind()
  const kinds: Kind[] = requestKind === 'requests' ? ['requests'] : ['requests', requestKind]
  return consumed(caller, kinds, (exceeded) => {
    if (requestKind === 'requests') hold(credential, exceeded)
  })
}

/**
 * Counts a call that is part of a counted request, against the quota of its kind.
 * @throws Problem `rate_limited`
 */
export async function countedPart(counted: Counted, kind: Kind): Promise<Counted> {
  return kind === 'requests' ? counted : consumed(counted.caller, [kind])
}

async function consumed(
  caller: Caller,
  kinds: readonly Kind[],
  note: (exceeded: LimitExceeded) => void = () => {},
): Promise<Counted> {
  const outcome = await consumeLimits(caller, kinds)
  if ('fields' in outcome) return { caller, fields: outcome.fields }
  note(outcome.exceeded)
  await auditThrottled(caller, outcome.exceeded.limit)
  throw counted(outcome.exceeded)
}

/** Counts the refusal in the metrics, and returns the caller's problem. */
function counted({ limit, problem }: LimitExceeded): Problem {
  measured('limit', { limit })
  return problem
}

async function authenticated(
  headers: { get(name: string): string | null },
  credential: string,
  surface: ApiSurface,
): Promise<Caller | undefined> {
  try {
    const caller = await authenticate(headers, surface)
    if (caller) prove(credential)
    else forget(credential)
    return caller
  } catch (error) {
    if (error instanceof Problem) forget(credential)
    throw error
  }
}

/** Most budgets in memory; an evicted budget loses its unused lease and is leased again. */
const MAX_BUDGETS = 50_000

// With plain Next, route bundles may have copies of this module: they share the budgets of the process.
const budgetsSlot = globalThis as typeof globalThis & { licensesInvoicesBudgets?: Map<string, Budget> }

/** Used-up limit: its name, as in `RateLimit-Policy`, and the caller's problem. */
type LimitExceeded = { limit: string; problem: Problem }

/**
 * Counts a request of this caller, before anything else is done for it.
 * @param kinds quotas that the request counts against
 * @returns the header fields for the answer; or the refusal if one of the limits is used up: the request then counts
 * against none
 */
async function consumeLimits(
  caller: Caller,
  kinds: readonly Kind[],
): Promise<{ fields: Record<string, string> } | { exceeded: LimitExceeded }> {
  const limits = kinds.flatMap((kind) => [
    { kind, policy: kind, limitBudget: budgetOf(caller, kind, callerName(caller)) },
    { kind, policy: `customer-${kind}`, limitBudget: budgetOf(caller, kind, undefined) },
  ])
  // Leases in hand are consumed synchronously: most requests wait for nothing here.
  const requestedLeases = limits.map(({ limitBudget }) => limitBudget.acquire())
  const leases = requestedLeases.some((one) => one instanceof Promise)
    ? await awaitLeases(limits, requestedLeases)
    : (requestedLeases as (Lease | undefined)[])
  const standings = limits.flatMap(({ policy, limitBudget }, at) => {
    const lease = leases[at] ?? limitBudget.state()
    return lease ? [{ policy, lease }] : []
  })
  const exceededAt = limits.findIndex((_, at) => leases[at] === undefined)
  if (exceededAt < 0) return { fields: limitFields(standings) }
  returnLeases(limits, leases)
  const limit = limits[exceededAt] as (typeof limits)[number]
  return { exceeded: { limit: limit.policy, problem: tooMany(limit, limitFields(standings)) } }
}

/** Awaits all leases; if one can't be acquired, the others are given back. */
async function awaitLeases(
  limits: readonly { limitBudget: Budget }[],
  requestedLeases: readonly ReturnType<Budget['acquire']>[],
): Promise<(Lease | undefined)[]> {
  const results = await Promise.allSettled(requestedLeases)
  const leases = results.map((one) => (one.status === 'fulfilled' ? one.value : undefined))
  const failed = results.find((one) => one.status === 'rejected')
  if (!failed) return leases
  returnLeases(limits, leases)
  throw failed.reason
}

function returnLeases(
  limits: readonly { limitBudget: Budget }[],
  leases: readonly (Lease | undefined)[],
): void {
  for (const [at, lease] of leases.entries()) if (lease) limits[at]?.limitBudget.giveBack(lease)
}

function callerName({ via, id, session }: Caller): string {
  return via === 'session' ? `session:${session}` : `${via}:${id}`
}

function budgetOf({ customerId }: Caller, kind: Kind, caller: string | undefined): Budget {
  budgetsSlot.licensesInvoicesBudgets ??= new Map()
  const budgets = budgetsSlot.licensesInvoicesBudgets
  const name = `${kind} ${customerId} ${caller ?? ''}`
  const existing = budgets.get(name)
  if (existing) return existing
  const limits = limitSettings()
  const usual = { limit: limits[kind], together: limits.together }
  const subject = { customerId, kind, usual, ...(caller === undefined ? {} : { caller }) }
  const made = budget(usual.limit * (caller === undefined ? usual.together : 1), (request) =>
    acquireQuota(subject, { ...request, seconds: WINDOW_SECONDS }),
  )
  budgets.set(name, made)
  const [oldest] = budgets.keys()
  if (budgets.size > MAX_BUDGETS && oldest !== undefined) budgets.delete(oldest)
  return made
}

const WHAT: Record<Kind, string> = {
  requests: 'requests',
  changes: 'changes of licenses',
  exports: 'exports',
}

function tooMany(
  { kind, policy, limitBudget }: { kind: Kind; policy: string; limitBudget: Budget },
  fields: Record<string, string>,
): Problem {
  const lease = limitBudget.state()
  const whose = policy === kind ? 'A key or session' : 'All keys and sessions of a customer together'
  const number = (lease?.quota ?? 0).toLocaleString('en')
  const detail = `${whose} may have ${number} ${WHAT[kind]} a minute, and this minute's are used up.`
  const wait = lease ? secondsLeft(lease) : WINDOW_SECONDS
  return new Problem('rate_limited', detail, { headers: { ...fields, 'Retry-After': String(wait) } })
}

/** Limit and its current lease. */
export type LimitStatus = { policy: string; lease: Lease }

/**
 * Returns the header fields of draft-ietf-httpapi-ratelimit-headers-10: the policies (`q` requests in `w` seconds), and
 * their state (`r` left as far as this process knows, for `t` seconds).
 */
function limitFields(standings: readonly LimitStatus[], now = performance.now()): Record<string, string> {
  const policies = standings.map(({ policy, lease }) => `"${policy}";q=${lease.quota};w=${WINDOW_SECONDS}`)
  const states = standings.map(
    ({ policy, lease }) => `"${policy}";r=${leftOf(lease)};t=${secondsLeft(lease, now)}`,
  )
  return { 'RateLimit-Policy': policies.join(', '), RateLimit: states.join(', ') }
}

/**
 * Returns the header fields for the token bucket of an address, like `limitFields`: `r` tokens are left, and in `t`
 * seconds the bucket is full again.
 */
export function bucketFields(
  policy: string,
  perMinute: number,
  { left, full }: BucketState,
): Record<string, string> {
  return {
    'RateLimit-Policy': `"${policy}";q=${perMinute};w=${WINDOW_SECONDS}`,
    RateLimit: `"${policy}";r=${left};t=${Math.ceil(full / 1000)}`,
  }
}

/** Returns whole seconds until the window ends: 1 to 60. */
function secondsLeft({ endsAt }: Lease, now = performance.now()): number {
  return Math.min(WINDOW_SECONDS, Math.max(1, Math.ceil((endsAt - now) / 1000)))
}

function leftOf({ quota, taken, unused }: Lease): number {
  return Math.max(0, quota - taken) + unused
}

/** Time after its last use in which a valid credential is exempt from the limit of strangers, in milliseconds. */
const AUTHENTICATED_MS = 10 * 60_000
/** Time in which an exceeded limit is answered from memory, in milliseconds. */
const BLOCKED_MS = 1000
const MAX_CREDENTIALS = 20_000

type CredentialState = { until: number; blocked?: { until: number; error: LimitExceeded } }

// One map per process, because route bundles have copies of this module.
const credentialsSlot = globalThis as typeof globalThis & {
  licensesInvoicesCredentials?: Map<string, CredentialState>
}
const credentials = () => {
  credentialsSlot.licensesInvoicesCredentials ??= new Map()
  return credentialsSlot.licensesInvoicesCredentials
}

/** Returns the digest of a request's key or session cookie; undefined without one. */
export function credentialOf(headers: { get(name: string): string | null }): string | undefined {
  const secret = headers.get('authorization') ?? cookieValue(headers.get('cookie') ?? '', 'session')
  return secret === undefined ? undefined : hash('sha256', secret, 'base64url')
}

/** Returns whether the credential was valid a short while ago: looking it up again is not a guess. */
export function wasAuthenticated(credential: string): boolean {
  const state = credentials().get(credential)
  return state !== undefined && performance.now() < state.until
}

/** Remembers that the credential is valid. */
export function prove(credential: string): void {
  const all = credentials()
  const until = performance.now() + AUTHENTICATED_MS
  const state = all.get(credential)
  if (state) {
    state.until = until
    return
  }
  all.set(credential, { until })
  const [oldest] = all.keys()
  if (all.size > MAX_CREDENTIALS && oldest !== undefined) all.delete(oldest)
}

/** Forgets a credential that was revoked or has expired. */
export function forget(credential: string): void {
  credentials().delete(credential)
}

/**
 * Remembers for a second that the credential's caller is over a limit: a client that ignores its refusals costs the
 * database one look-up a second. The caller is refused throughout, so it does not matter if the key is revoked within
 * that second.
 */
function hold(credential: string, error: LimitExceeded): void {
  const state = credentials().get(credential)
  if (state) state.blocked = { until: performance.now() + BLOCKED_MS, error }
}

/** Returns the recent refusal of a credential, if any. */
function cachedLimitError(credential: string): LimitExceeded | undefined {
  const blocked = credentials().get(credential)?.blocked
  return blocked && performance.now() < blocked.until ? blocked.error : undefined
}
