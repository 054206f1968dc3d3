import 'server-only'
import { eq } from 'drizzle-orm'
import { database, open, type Transaction } from '#lib/platform/db/client.ts'
import { PipelinedQueries, sendAlone } from '#lib/platform/db/pipeline.ts'
import { withoutValues } from '#lib/platform/db/prepared-queries.ts'
import { customerLimits } from '#lib/platform/db/schema/limits.ts'
import type { CustomerId } from '../rules.ts'

/** How long a window is, in seconds. */
export const WINDOW_SECONDS = 60

/** What this process holds of a window's budget. */
export type Lease = {
  windowNumber: number
  /** Requests that it may still admit. */
  unused: number
  /** Given to all processes. */
  taken: number
  quota: number
  /** When the window ends, by this process's own clock: never later than by the database's. In milliseconds. */
  endsAt: number
  share: number
}

type FetchShare = (request: { desired: number; waiting: number }) => Promise<Share>
type Waiter = { resolve: (lease: Lease | undefined) => void; reject: (error: unknown) => void }

/** One limit as a process sees it. */
export type Budget = {
  /** Counts a request: the lease that it was taken from, or undefined where the window's budget is used up. */
  acquire(): Lease | undefined | Promise<Lease | undefined>
  /** Takes a count back: the request was not admitted after all. */
  giveBack(lease: Lease): void
  /** What was told last. */
  state(): Lease | undefined
}

/**
 * Counts by shares that the database gives: of the quota of a window exactly so many requests are admitted, by however
 * many processes. A request is counted in the window in which its share was given, or while that window surely lasts.
 * @param usualQuota how many there usually are, for the first question
 * @param fetchShare gives the next share
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
      // Whoever came meanwhile may find something left.
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

  /** They were waiting when the share was given: it is theirs, also where the answer took longer than the window. */
  const serve = (from: Lease, served: Waiter[]) => {
    for (const waiter of served) {
      if (from.unused > 0) {
        from.unused -= 1
        waiter.resolve(from)
      } else if (now() < from.endsAt) waiter.resolve(undefined)
      // Refused by a window that is over.
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

/** What is held after a share: with what was left of the one before, where it is of the same window. */
function renewed(before: Lease | undefined, { leftMs, ...share }: Share, sentAt: number): Lease {
  // The database read its clock after this process had sent the question: the end is told too early, if anything.
  const endsAt = sentAt + leftMs
  if (before?.windowNumber !== share.windowNumber) return { ...share, unused: share.share, endsAt }
  return Object.assign(before, { ...share, unused: before.unused + share.share, endsAt })
}

// The arithmetic of shares. A limit is one number in the database, of which processes take shares: so most requests are
// counted without asking it. What a process holds and does not use is lost to the others until the window ends, so that
// shares are small at first, grow with use, and shrink to single requests as the window's budget runs out.

/** Of the whole budget, what a process is given that has asked for nothing yet. */
const INITIAL_SHARE = 1 / 100
/** Of what is left of it, the most that a share may be. */
const MAX_SHARE = 1 / 10

/** How much a process asks for: at first a hundredth of the quota, then twice as much as before. */
export function nextQuotaSize(quota: number, before: number | undefined): number {
  return before === undefined ? Math.max(1, Math.floor(quota * INITIAL_SHARE)) : Math.max(1, before * 2)
}

/**
 * How much it is given. `GIVEN` says the same in SQL; a test holds the two together.
 * @param left of the window's budget
 * @param desired what `wanted` said
 * @param waiting requests that wait for it now: they use what they get, so that nothing of it is lost
 */
export function grantedShare(left: number, desired: number, waiting: number): number {
  return Math.min(left, Math.max(waiting, Math.min(desired, Math.floor(left * MAX_SHARE))))
}

/** What a request counts as: each as one of the requests, and some besides as what they do. */
const KINDS = ['requests', 'changes', 'exports'] as const
export type Kind = (typeof KINDS)[number]

/** Whose number it is: of one caller, or of all of the customer's together. */
export type Subject = {
  customerId: CustomerId
  /** Its column in `customer_limits` too. */
  kind: Kind
  /** `key:<id>` or `session:<digest>`; absent: all together. */
  caller?: string
  /** Where the customer has none of its own: the limit, and how many times as much all have together. */
  usual: { limit: number; together: number }
}

/** What a process was given of a window: it may admit so many requests before the window ends. */
export type Share = {
  windowNumber: number
  share: number
  /** Given to all processes, this share among it. */
  taken: number
  /** Of the whole window. */
  quota: number
  /** Milliseconds until the window ends, at the moment at which the share was given. */
  leftMs: number
}

// Three statements, and not one with the others inside, which a database that is spread over several machines refuses.
// Of two at once the second waits for the row in the second of them. So the third one comes after that, and what it says
// of the time is of a moment at which it has the row: a share is always one of the window that it says. The values are:
// customer $1, subject $2, whether of one caller $3, wanted $4, waiting $5, seconds of a window $6, the usual limit $7,
// how many times as much $8.

const OPEN = `INSERT INTO limit_windows (customer_id, subject, window_number, taken, share, quota)
  VALUES ($1, $2, 0, 0, 0, 0) ON CONFLICT DO NOTHING`

const HOLD = 'SELECT FROM limit_windows WHERE customer_id = $1 AND subject = $2 FOR NO KEY UPDATE'

/** The window of this moment, by the database's clock. */
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

/** How much a share has to be, and how long a window is, in seconds. */
export type ShareRequest = { desired: number; waiting: number; seconds: number }

/**
 * Takes a share of what is left of the window at hand. BEGIN, the customer's name, the statements and COMMIT leave
 * together: one round trip, in which nobody waits for a disk, because the table is unlogged.
 */
export async function acquireQuota(subject: Subject, request: ShareRequest): Promise<Share> {
  // A window that is removed as too old between the first statement and the second is opened anew.
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
  const opened = open(pipeline, 'console_keys', customerId, 'late write')
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

/** Removes what is left of callers that are gone, after an hour. Says of how many. */
export async function removePastWindows(seconds: number): Promise<number> {
  const { rowCount } = await database().jobs.query(
    "DELETE FROM limit_windows WHERE window_number < floor(extract(epoch FROM now() - interval '1 hour') / $1)",
    [seconds],
  )
  return rowCount ?? 0
}

/** A customer's own limits; null: that of the settings. */
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

/** Sets those that are given; each process goes by them from the next share on that it takes. */
export async function setLimits(tx: Transaction, customerId: CustomerId, limits: Partial<CustomerLimits>) {
  await tx
    .insert(customerLimits)
    .values({ customerId, ...limits })
    .onConflictDoUpdate({ target: customerLimits.customerId, set: { ...limits, customerId } })
}
