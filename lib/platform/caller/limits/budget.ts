import 'server-only'
import { eq } from 'drizzle-orm'
import { database, open, type Transaction } from '#lib/platform/db/client.ts'
import { PipelinedQueries, sendAlone } from '#lib/platform/db/pipeline.ts'
import { withoutValues } from '#lib/platform/db/prepared-queries.ts'
import { customerLimits } from '#lib/platform/db/schema/limits.ts'
import type { CustomerId } from '../rules.ts'

/** Length of a window, in seconds. */
export const WINDOW_SECONDS = 60

/** Part of a window's budget that this process holds. */
export type Lease = {
  windowNumber: number
  /** Requests that it may still admit. */
  unused: number
  /** Shares granted to all processes. */
  taken: number
  quota: number
  /** End of the window by this process's monotonic clock, in milliseconds: never later than by the database's clock. */
  endsAt: number
  share: number
}

type FetchShare = (request: { desired: number; waiting: number }) => Promise<Share>
type Waiter = { resolve: (lease: Lease | undefined) => void; reject: (error: unknown) => void }

/** Budget of one limit in one process. */
export type Budget = {
  /** Counts a request, and returns the lease that it used, or undefined if the window's budget is used up. */
  acquire(): Lease | undefined | Promise<Lease | undefined>
  /** Takes a count back: the request was not admitted after all. */
  giveBack(lease: Lease): void
  /** Returns the latest lease. */
  state(): Lease | undefined
}

/**
 * Returns a budget that counts by leased shares: exactly the quota of a window is admitted, by any number of processes.
 * A request is counted in the window in which its share was granted, or while that window certainly lasts.
 * @param usualQuota expected quota, for the size of the first share
 * @param fetchShare fetches the next share
 */
export function budget(usualQuota: number, fetchShare: FetchShare, now = () => performance.now()): Budget {
  let lease: Lease | undefined
  const waiters: Waiter[] = []
  let isFetching = false

  const isLive = () => lease !== undefined && now() < lease.endsAt

  const renew = async (): Promise<void> => {
    isFetching = true
    while (waiters.length > 0) {
      const served = waiters.splice(0)
      await next(served).catch((error: unknown) => {
        for (const waiter of served) waiter.reject(error)
      })
      // Requests that arrived in the meantime may find an unused rest.
      for (const waiter of waiters.splice(0)) answer(waiter)
    }
    isFetching = false
  }

  const next = async (served: Waiter[]) => {
    const sentAt = now()
    const desired = nextQuotaSize(lease?.quota ?? usualQuota, isLive() ? lease?.share : undefined)
    lease = renewed(lease, await fetchShare({ desired, waiting: served.length }), sentAt)
    serve(lease, served)
  }

  /**
   * These requests were waiting when the share was granted, so the share admits them even if the response took longer
   * than the window.
   */
  const serve = (from: Lease, served: Waiter[]) => {
    for (const waiter of served) {
      if (from.unused > 0) {
        from.unused -= 1
        waiter.resolve(from)
      } else if (now() < from.endsAt) waiter.resolve(undefined)
      // Refused by a past window.
      else waiters.push(waiter)
    }
  }

  const answer = (waiter: Waiter) => {
    const inHandLease = inHand()
    if (inHandLease === 'ask') waiters.push(waiter)
    else waiter.resolve(inHandLease)
  }

  const inHand = (): Lease | undefined | 'ask' => {
    if (!lease || !isLive()) return 'ask'
    if (lease.unused > 0) {
      lease.unused -= 1
      return lease
    }
    return lease.taken >= lease.quota ? undefined : 'ask'
  }

  return {
    acquire() {
      const inHandLease = inHand()
      if (inHandLease !== 'ask') return inHandLease
      return new Promise((resolve, reject) => {
        waiters.push({ resolve, reject })
        if (!isFetching) renew()
      })
    },
    giveBack(from) {
      if (from === lease) from.unused += 1
    },
    state: () => lease,
  }
}

/** Returns the lease after a share was granted: with the rest of the previous lease, if it is of the same window. */
function renewed(before: Lease | undefined, { leftMs, ...share }: Share, sentAt: number): Lease {
  // The database read its clock after this process had sent the query, so this end is early, if anything.
  const endsAt = sentAt + leftMs
  if (before?.windowNumber !== share.windowNumber) return { ...share, unused: share.share, endsAt }
  return Object.assign(before, { ...share, unused: before.unused + share.share, endsAt })
}

// Arithmetic of shares. A limit is one number in the database, from which processes lease shares, so that most requests
// are counted without a query. A share that its process does not use is lost to the others until the window ends.
// Therefore shares are small at first, grow with use, and shrink to single requests as the window's budget runs out.

/** First share that a process requests, as a fraction of the quota. */
const INITIAL_SHARE = 1 / 100
/** Largest share, as a fraction of the budget that is left. */
const MAX_SHARE = 1 / 10

/**
 * Returns the size of the share that a process requests: at first a hundredth of the quota, then twice the previous
 * share.
 */
export function nextQuotaSize(quota: number, before: number | undefined): number {
  return before === undefined ? Math.max(1, Math.floor(quota * INITIAL_SHARE)) : Math.max(1, before * 2)
}

/**
 * Returns the size of the share that the store grants. `GRANTED_SHARE_SQL` computes the same in SQL; a test compares
 * the two.
 * @param left rest of the window's budget
 * @param desired result of `nextQuotaSize`
 * @param waiting requests that wait for the share: they use their part for certain
 */
export function grantedShare(left: number, desired: number, waiting: number): number {
  return Math.min(left, Math.max(waiting, Math.min(desired, Math.floor(left * MAX_SHARE))))
}

/**
 * Quotas of a minute, one count over all processes: every request of a key or session counts as `requests`; changes of
 * licenses and exports also count as such.
 */
const KINDS = ['requests', 'changes', 'exports'] as const
export type Kind = (typeof KINDS)[number]

/** Subject of a limit: one caller, or all callers of the customer together. */
export type Subject = {
  customerId: CustomerId
  /** Also its column in `customer_limits`. */
  kind: Kind
  /** `key:<id>` or `session:<digest>`; undefined for all callers together. */
  caller?: string
  /**
   * Defaults for a customer without limits of its own: the limit of one caller, and its multiple for all callers
   * together.
   */
  usual: { limit: number; together: number }
}

/** Share of a window that was granted to a process: requests that it may admit before the window ends. */
export type Share = {
  windowNumber: number
  share: number
  /** Shares granted to all processes, including this one. */
  taken: number
  /** Quota of the whole window. */
  quota: number
  /** Milliseconds until the window ends, when the share was granted. */
  leftMs: number
}

// Three statements, since Citus refuses one with nested writes. Of two concurrent shares, the second waits for the row
// lock in `HOLD`. `ACQUIRE_SQL` therefore reads its clock while it holds the row: a share always belongs to the window
// that it names. Parameters: customer $1, subject $2, whether of one caller $3, desired $4, waiting $5, seconds of a
// window $6, default limit $7, its multiple for all callers $8.

const OPEN = `INSERT INTO limit_windows (customer_id, subject, window_number, taken, share, quota)
  VALUES ($1, $2, 0, 0, 0, 0) ON CONFLICT DO NOTHING`

const HOLD = 'SELECT FROM limit_windows WHERE customer_id = $1 AND subject = $2 FOR NO KEY UPDATE'

/** Number of the current window, by the database's clock. */
const NOW = 'floor(extract(epoch FROM statement_timestamp()) / $6)::bigint'
const BEFORE = `CASE WHEN w.window_number >= ${NOW} THEN w.taken ELSE 0 END`
const LEFT = `greatest(0, n.quota - ${BEFORE})`
const GRANTED_SHARE_SQL = `least(${LEFT}, greatest($5::int, least($4::int, ${LEFT} / 10)))`

const ACQUIRE_SQL = (kind: Kind) => `
  UPDATE limit_windows w SET window_number = greatest(${NOW}, w.window_number), taken = ${BEFORE} + ${GRANTED_SHARE_SQL},
    share = ${GRANTED_SHARE_SQL}, quota = n.quota
  FROM (SELECT coalesce(max(l.${kind}), $7::int)
      * CASE WHEN $3::boolean THEN 1 ELSE coalesce(max(l.together), $8::int) END AS quota
    FROM customer_limits l WHERE l.customer_id = $1) n
  WHERE w.customer_id = $1 AND w.subject = $2
  RETURNING w.window_number::float8 AS "windowNumber", w.share, w.taken, w.quota,
    (1000 * ((w.window_number + 1) * $6 - extract(epoch FROM statement_timestamp())))::float8 AS "leftMs"`

const acquireQueries = Object.fromEntries(KINDS.map((kind) => [kind, { text: ACQUIRE_SQL(kind) }])) as Record<
  Kind,
  { text: string }
>

/** Desired size, requests that wait for the share, and the length of a window in seconds. */
export type ShareRequest = { desired: number; waiting: number; seconds: number }

/**
 * Acquires a share of the current window's budget. BEGIN, the customer's name, the statements and COMMIT are pipelined:
 * one round trip, without a disk flush, because the table is unlogged.
 * @throws Error if the row was removed twice in the meantime
 */
export async function acquireQuota(subject: Subject, request: ShareRequest): Promise<Share> {
  // Retries after `removePastWindows` has removed the row between the first two statements.
  const share = (await acquireOnce(subject, request)) ?? (await acquireOnce(subject, request))
  if (!share) throw new Error('The window of a limit was removed twice while a share was taken.')
  return share
}

async function acquireOnce(
  { customerId, kind, caller, usual }: Subject,
  { desired, waiting, seconds }: ShareRequest,
): Promise<Share | undefined> {
  const { keys } = database()
  const row = [customerId, caller === undefined ? kind : `${kind} ${caller}`]
  const limitValues = [caller !== undefined, desired, waiting, seconds, usual.limit, usual.together]
  const pipeline = new PipelinedQueries()
  const opened = open(pipeline, keys, customerId, 'late write')
  const before = [pipeline.add({ text: OPEN }, row), pipeline.add({ text: HOLD }, row)]
  const acquired = pipeline.add(acquireQueries[kind], [...row, ...limitValues])
  sendAlone(keys, pipeline)
  for (const one of [opened, ...before]) one.catch(() => {})
  try {
    const { rows } = await acquired
    await opened
    return rows[0] as Share | undefined
  } catch (error) {
    throw withoutValues(error)
  }
}

/**
 * Removes the windows of inactive callers after an hour.
 * @returns the number of removed windows
 */
export async function removePastWindows(seconds: number): Promise<number> {
  const { rowCount } = await database().jobs.query(
    "DELETE FROM limit_windows WHERE window_number < floor(extract(epoch FROM now() - interval '1 hour') / $1)",
    [seconds],
  )
  return rowCount ?? 0
}

/** Limits of a customer; null: the default of the settings. */
export type CustomerLimits = {
  requests: number | null
  changes: number | null
  exports: number | null
  together: number | null
}

const NONE: CustomerLimits = { requests: null, changes: null, exports: null, together: null }

export async function readLimits(tx: Transaction, customerId: CustomerId): Promise<CustomerLimits> {
  const { requests, changes, exports, together } = customerLimits
  const rows = await tx
    .select({ requests, changes, exports, together })
    .from(customerLimits)
    .where(eq(customerLimits.customerId, customerId))
  return rows[0] ?? NONE
}

/** Sets the passed limits; each process applies them from its next share on. */
export async function setLimits(tx: Transaction, customerId: CustomerId, limits: Partial<CustomerLimits>) {
  await tx
    .insert(customerLimits)
    .values({ customerId, ...limits })
    .onConflictDoUpdate({ target: customerLimits.customerId, set: { ...limits, customerId } })
}
