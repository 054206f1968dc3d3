import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'
import { database } from '#lib/platform/db/client.ts'
import { inTime } from '#lib/platform/runtime/concurrency.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'

// Number of calls that an account may make at a vendor's API, shared by all processes.

/** Result of a request for a call. A held call was not made; `retryAfter` is in seconds. */
export type Permit = { kind: 'granted' } | { kind: 'held'; reason: string; retryAfter: number }

/** Calls of one account at one API, shared by all processes. Never throws. */
export type Budget = {
  /**
   * Takes a call from the budget, and waits a moment if one will be available.
   * @param isBackground whether a job calls, which leaves the reserve to people
   */
  acquire(isBackground: boolean, signal: AbortSignal): Promise<Permit>
  /**
   * Closes the API for this account, because the vendor throttles.
   * @param seconds the vendor's Retry-After; by default five, and twice as many each time that a throttle recurs soon
   */
  close(seconds: number | undefined): Promise<void>
  /** Returns the whole seconds until a job may call again; 0: now. */
  secondsUntilAvailable(): Promise<number>
}

/**
 * Returns the budget of an account at an API by name.
 * @param callsPerMinute most calls in any minute
 */
export type Budgets = (api: string, callsPerMinute: number) => Budget

/** Longest wait for a call in milliseconds, on behalf of a person or of a job. */
const WAIT_TIMEOUT_MS = { people: 1000, background: 5000 }
/** Wait if the database is unreachable, in seconds. */
const UNKNOWN_WAIT = 5

/**
 * Returns the budgets of a vendor's account. If the database is unreachable, no call is made: an unsent call is
 * harmless, while an uncounted one could get the API throttled for all.
 * @param account reseller's account at the vendor
 */
export function budgetsOf(vendor: string, account: string): Budgets {
  return (api, callsPerMinute) => budgetOf({ vendor, account, api, ...sizeOf(callsPerMinute) })
}

/**
 * Returns a token bucket's size: a burst of a fifth of a minute's calls, and the rest refilled evenly, so that no
 * minute exceeds the limit. A fifth of the burst is the reserve that jobs leave to people.
 */
function sizeOf(callsPerMinute: number): Pick<Account, 'capacity' | 'perSecond' | 'reserve'> {
  const capacity = Math.max(1, Math.floor(callsPerMinute / 5))
  return { capacity, perSecond: (callsPerMinute - capacity) / 60, reserve: Math.floor(capacity / 5) }
}

function budgetOf(budgetAccount: Account): Budget {
  const { vendor, account, api } = budgetAccount
  const reason = (why: string) => `the calls to ${api} with the account ${account} ${why}`
  const failed = (error: unknown) => {
    log().warn({ vendor, account, api, reason: reasonOf(error).slice(0, 300) }, 'budget of calls not reached')
  }
  const runQuery = async (query: string, isBackground: boolean): Promise<CallGrant | undefined> => {
    const { capacity, perSecond, reserve } = budgetAccount
    const values = [vendor, account, api, capacity, perSecond, isBackground ? reserve : 0]
    try {
      const { rows } = await database().jobs.query<CallGrant>(query, values)
      return rows[0] ?? { isTaken: false, isClosed: false, wait: 0 }
    } catch (error) {
      failed(error)
      return undefined
    }
  }

  return {
    async acquire(isBackground, signal) {
      const end = performance.now() + (isBackground ? WAIT_TIMEOUT_MS.background : WAIT_TIMEOUT_MS.people)
      for (;;) {
        const grant = await inTime(runQuery(ACQUIRE_QUERY, isBackground), signal, undefined)
        if (!grant) return { kind: 'held', reason: reason('could not be counted'), retryAfter: UNKNOWN_WAIT }
        if (grant.isTaken) return { kind: 'granted' }
        const waitMs = grant.wait * 1000
        const isWithinTimeout = performance.now() + waitMs <= end
        // With jitter, so that waiting calls do not retry simultaneously.
        const goOn =
          isWithinTimeout &&
          (await pause(waitMs * (1 + Math.random() / 4), true, { signal }).catch(() => false))
        if (!goOn) return { kind: 'held', reason: reason(whyOf(grant)), retryAfter: Math.ceil(grant.wait) }
      }
    },
    async close(seconds) {
      log().warn({ vendor, account, api, seconds }, 'vendor throttles')
      try {
        await database().jobs.query(CLOSE, [vendor, account, api, seconds ?? null])
      } catch (error) {
        failed(error)
      }
    },
    async secondsUntilAvailable() {
      const grant = await runQuery(WAIT_QUERY, true)
      return grant ? Math.ceil(grant.wait) : UNKNOWN_WAIT
    },
  }
}

function whyOf({ isClosed }: CallGrant): string {
  return isClosed ? 'are throttled by the vendor' : 'are used up for the moment'
}

// Statements of the role `console_jobs`, each in a transaction of its own. They use the database's clock. Of two
// concurrent statements the second waits for the row, and may have an earlier time than the first: `refilled_at` never
// decreases.

/** Vendor, account and API of a budget, and its token bucket: one token per call. */
type Account = {
  vendor: string
  account: string
  api: string
  capacity: number
  perSecond: number
  reserve: number
}

/** Result of a statement; `wait` is in seconds, 0 if a call is available. */
type CallGrant = { isTaken: boolean; isClosed: boolean; wait: number }

// Parameters: vendor $1, account $2, API $3, capacity $4, tokens per second $5, the reserve to leave $6.
const AVAILABLE = `least($4::float8,
  b.tokens + $5::float8 * greatest(0, extract(epoch FROM now() - b.refilled_at)::float8))`
const NEEDED = '1 + $6::float8'
const WAIT = `greatest(0, (${NEEDED} - ${AVAILABLE}) / $5::float8, extract(epoch FROM b.closed_until - now())::float8)`
const ACCOUNT_FILTER = '(b.vendor, b.account, b.api) = ($1::text, $2::text, $3::text)'
const IS_CLOSED = 'coalesce(b.closed_until > now(), false)'

/** Takes a token. The wait does not see a row that was inserted concurrently: it is then the time of one token. */
const ACQUIRE_QUERY = `
  WITH taken AS (
    INSERT INTO vendor_budgets AS b (vendor, account, api, tokens, refilled_at)
    VALUES ($1, $2, $3, $4::float8 - 1, now())
    ON CONFLICT (vendor, account, api) DO UPDATE
      SET tokens = ${AVAILABLE} - 1, refilled_at = greatest(b.refilled_at, now())
      WHERE ${AVAILABLE} >= ${NEEDED} AND NOT ${IS_CLOSED}
    RETURNING 1
  )
  SELECT t.is_taken AS "isTaken", ${IS_CLOSED} AS "isClosed",
    CASE WHEN t.is_taken THEN 0 ELSE greatest(1 / $5::float8, ${WAIT}) END AS wait
  FROM (SELECT EXISTS (SELECT FROM taken) AS is_taken) t LEFT JOIN vendor_budgets b ON ${ACCOUNT_FILTER}`

/** Returns no row before the first call. */
const WAIT_QUERY = `
  SELECT false AS "isTaken", ${IS_CLOSED} AS "isClosed", ${WAIT} AS wait FROM vendor_budgets b WHERE ${ACCOUNT_FILTER}`

/** Exponential backoff as Google recommends: 5 seconds at first, then doubled each time. */
const INITIAL_PAUSE_SECONDS = 5
const MAX_PAUSE_SECONDS = 600

/** Closes the API for $4 seconds, or for our own backoff if null; never shortens an earlier closing. */
const CLOSE = `
  UPDATE vendor_budgets b
  SET closed_until = greatest(b.closed_until, now() + make_interval(secs => coalesce($4::float8, own.pause))),
    closed_for = CASE WHEN $4 IS NULL THEN own.pause ELSE b.closed_for END
  FROM (
    SELECT CASE
      -- Several calls under way are told the same thing.
      WHEN b.closed_until > now() THEN greatest(b.closed_for, ${INITIAL_PAUSE_SECONDS})
      WHEN b.closed_until > now() - make_interval(secs => 2 * b.closed_for)
        THEN least(greatest(2 * b.closed_for, ${INITIAL_PAUSE_SECONDS}), ${MAX_PAUSE_SECONDS})
      ELSE ${INITIAL_PAUSE_SECONDS} END AS pause
    FROM vendor_budgets b WHERE ${ACCOUNT_FILTER}
  ) own
  WHERE ${ACCOUNT_FILTER}`
