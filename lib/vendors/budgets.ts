import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'
import { database } from '#lib/platform/db/client.ts'
import { inTime } from '#lib/platform/runtime/concurrency.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'

// How many calls an account may make at a vendor's API. All processes share one count.

/** What became of asking for a call. One that is held was not made; `retryAfter` is in seconds. */
export type Permit = { kind: 'granted' } | { kind: 'held'; reason: string; retryAfter: number }

/** The calls of one account at one API, as all processes share them. Nothing here throws. */
export type Budget = {
  /**
   * Takes a call out of the budget, and waits a moment for it where that is enough.
   * @param isBackground a job asks, which leaves the reserve to people
   */
  acquire(isBackground: boolean, signal: AbortSignal): Promise<Permit>
  /**
   * The vendor throttles: nobody calls this API with this account any more for a time.
   * @param seconds as the vendor said; where it did not, five, and twice as many each time that this comes again soon
   */
  close(seconds: number | undefined): Promise<void>
  /** Whole seconds until a job may call again; 0: now. */
  secondsUntilAvailable(): Promise<number>
}

/** The budgets of one account, by the API's name. @param callsPerMinute the most that are made in any minute */
export type Budgets = (api: string, callsPerMinute: number) => Budget

/** How long a call is waited for, in milliseconds: people wait. */
const WAIT_TIMEOUT_MS = { people: 1000, background: 5000 }
/** Where the database can't be asked, in seconds. */
const UNKNOWN_WAIT = 5

/**
 * The budgets of a vendor's account. Where the database can't be asked, no call is made: it was surely not sent then,
 * while a call too many could close the API for all.
 * @param account the reseller's account at the vendor
 */
export function budgetsOf(vendor: string, account: string): Budgets {
  return (api, callsPerMinute) => budgetOf({ vendor, account, api, ...sizeOf(callsPerMinute) })
}

/**
 * A fifth of a minute's calls may be made at once, and the others come back evenly: so no minute has more than all of
 * them. A fifth of those at once is the reserve, which jobs leave to people.
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
        // Not all at the same moment.
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

// The statements, each of which stands alone, as the role `console_jobs`. They go by the database's clock.
// Of two at once the second waits for the row, and sees what the first one left: its own time may be earlier then, so
// that time never goes back in the row.

/** Whose budget it is, at which API, and how large: tokens, each for one call. */
type Account = {
  vendor: string
  account: string
  api: string
  capacity: number
  perSecond: number
  reserve: number
}

/** `wait` is in seconds, and 0 where a call could be made. */
type CallGrant = { isTaken: boolean; isClosed: boolean; wait: number }

// The values are: vendor $1, account $2, API $3, capacity $4, tokens a second $5, the reserve to be left $6.
const AVAILABLE = `least($4::float8,
  b.tokens + $5::float8 * greatest(0, extract(epoch FROM now() - b.refilled_at)::float8))`
const NEEDED = '1 + $6::float8'
const WAIT = `greatest(0, (${NEEDED} - ${AVAILABLE}) / $5::float8, extract(epoch FROM b.closed_until - now())::float8)`
const ACCOUNT_FILTER = '(b.vendor, b.account, b.api) = ($1::text, $2::text, $3::text)'
const IS_CLOSED = 'coalesce(b.closed_until > now(), false)'

/** Takes a token. A row that somebody has just written is not seen yet by the wait: then it is that for one token. */
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

/** No row where nobody has called yet. */
const WAIT_QUERY = `
  SELECT false AS "isTaken", ${IS_CLOSED} AS "isClosed", ${WAIT} AS wait FROM vendor_budgets b WHERE ${ACCOUNT_FILTER}`

/** As Google advises: 5 seconds at first, then twice as long each time. */
const INITIAL_PAUSE_SECONDS = 5
const MAX_PAUSE_SECONDS = 600

/** Closes until $4 seconds from now, or where those are null for a time of our own; never for less than before. */
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
