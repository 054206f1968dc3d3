import 'server-only'
import { database } from '#lib/platform/db/client.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import type { Account } from './accounts.ts'
import type { RemoteVendor, SubscriptionRef, Unavailable, VendorRead, Why, WriteAnswer } from './vendor.ts'

type Page = Awaited<ReturnType<RemoteVendor['list']>>

/** Vendor behind a circuit breaker, which opens when calls failed for several subscriptions in a row. */
export type GuardedVendor = RemoteVendor & {
  /** Returns the whole seconds for which the breaker is open; 0: calls are allowed. */
  pausedFor(): number
  /** Returns the reason of the last failure while the breaker is open. */
  pausedWhy(): Why | undefined
}

/** Probes of a failing vendor, shared by all processes that use one account. Never throws. */
export type Probes = {
  /** Returns whether this process may probe the vendor now: one process per `everyMs` milliseconds. */
  tryAcquire(everyMs: number): Promise<boolean>
  /** Allows further probes immediately, because the vendor has answered. */
  release(): Promise<void>
}

/** Probes of a single process. */
const UNSHARED_PROBES: Probes = { tryAcquire: async () => true, release: async () => {} }

const MAX_FAILURES = 5
const MIN_CUSTOMERS = 2

/** Subject of a call: a subscription, or the vendor itself. */
type Whom = { name: string; customer: string }
/** Failures since the last success: customers by the name of the call's subscription. */
type Failures = Map<string, string>

/**
 * Wraps a vendor in a circuit breaker. After calls for five subscriptions of two customers failed in a row (repeated
 * attempts count once), the breaker is open for `pauseMs` milliseconds: requests fail immediately, and the vendor can
 * recover. Then one call at a time is admitted as a probe and decides (half-open); a subscription whose probe failed
 * has to wait twice as long before it may probe again. Failures are counted per process, but probes are shared: more
 * processes do not send more of them.
 */
export function withBreaker(vendor: RemoteVendor, pauseMs: number, probes = UNSHARED_PROBES): GuardedVendor {
  // Separate counts: a vendor may answer reads while its writes fail.
  const failures: Record<'read' | 'write', Failures> = { read: new Map(), write: new Map() }
  let pausedUntil = 0
  let isTrying = false
  let triedLast: string | undefined
  let lists = 0
  let lastWhy: Why | undefined

  const isFailing = () => Object.values(failures).some(isMany)
  /** Returns the whole seconds that a call has to wait. */
  function waitOf(name?: string): number {
    if (!isFailing()) return 0
    const until = name !== undefined && name === triedLast ? pausedUntil + pauseMs : pausedUntil
    return Math.max(isTrying ? 1 : 0, Math.ceil((until - Date.now()) / 1000))
  }
  function learn(kind: 'read' | 'write', { name, customer }: Whom, hasFailed: boolean): void {
    if (hasFailed) failures[kind].set(name, customer)
    else failures[kind].clear()
    if (!isFailing()) pausedUntil = 0
    else if (hasFailed) pausedUntil = Date.now() + pauseMs
  }
  const reason = `${vendor.label} failed for ${MAX_FAILURES} subscriptions in a row and is left alone.`
  function leftAlone(retryAfter: number): Unavailable {
    return { kind: 'unavailable', reason, retryAfter, why: lastWhy }
  }

  async function read<A extends VendorRead | Page>(
    whom: Whom,
    call: () => Promise<A>,
  ): Promise<A | Unavailable> {
    const retryAfter = waitOf(whom.name)
    if (retryAfter > 0) return leftAlone(retryAfter)
    if (isFailing()) return tryForAll(whom, call)
    const answer = await timed(call)
    heard(whom, answer)
    return answer
  }

  /** Sends the call as a probe, if this process may probe now. */
  async function tryForAll<A extends VendorRead | Page>(
    whom: Whom,
    call: () => Promise<A>,
  ): Promise<A | Unavailable> {
    isTrying = true
    try {
      if (!(await probes.tryAcquire(pauseMs))) {
        pausedUntil = Date.now() + pauseMs
        return leftAlone(Math.ceil(pauseMs / 1000))
      }
      const answer = await timed(call)
      const isDown = heard(whom, answer)
      triedLast = isDown ? whom.name : undefined
      if (isDown === false) await probes.release()
      return answer
    } finally {
      isTrying = false
    }
  }

  /**
   * Records a result.
   * @returns whether the vendor is down; undefined for a throttled call, which does not show either
   */
  function heard(whom: Whom, answer: VendorRead | Page): boolean | undefined {
    if (isThrottled(answer)) return undefined
    const isDown = answer.kind === 'unavailable' && answer.others !== 'answer'
    if (isDown) lastWhy = answer.why
    else triedLast = undefined
    learn('read', whom, isDown)
    return isDown
  }

  const { lookup, setNextTerm } = vendor
  function written(whom: Whom, answer: WriteAnswer): WriteAnswer {
    if (isThrottled(answer)) return answer
    const isLost = answer.kind === 'not_sent' && answer.code === 'vendor_unavailable'
    if (isLost) lastWhy = answer.why
    learn('write', whom, answer.kind === 'unknown' || isLost)
    return answer
  }
  return {
    ...vendor,
    pausedFor: () => waitOf(),
    pausedWhy: () => lastWhy,
    read: (ref, signal) => read(subscriptionOf(ref), () => vendor.read(ref, signal)),
    async list(cursor, signal) {
      lists += 1
      const itself = { name: `list ${lists}`, customer: `list ${lists}` }
      return read(itself, () => vendor.list(cursor, signal))
    },
    // Never refused: the change is recorded as SENT already, and the preceding read has just succeeded.
    async setQuantity(observed, total, changeId, signal) {
      const answer = await timed(() => vendor.setQuantity(observed, total, changeId, signal))
      return written(subscriptionOf(observed), answer)
    },
    ...(setNextTerm && {
      setNextTerm: async (seen, ...more) =>
        written(subscriptionOf(seen), await timed(() => setNextTerm(seen, ...more))),
    }),
    // An unknown outcome of one write does not count as a failure of the vendor.
    ...(lookup && {
      lookup: async (ref, write, signal) =>
        waitOf() > 0 ? { kind: 'unknown', reason } : lookup(ref, write, signal),
    }),
  }
}

/** Calls a vendor, and adds the time of the request to each observation in the answer. */
async function timed<A extends VendorRead | Page | WriteAnswer>(call: () => Promise<A>): Promise<A> {
  const requestedAt = Date.now()
  const answer = await call()
  if ('observed' in answer) return { ...answer, observed: { ...answer.observed, requestedAt } }
  if ('items' in answer) return { ...answer, items: answer.items.map((item) => ({ ...item, requestedAt })) }
  return answer
}

/** Returns whether the call was throttled. Throttles are handled by the budget, and show neither health nor failure. */
function isThrottled(answer: VendorRead | Page | WriteAnswer): boolean {
  return 'why' in answer && answer.why === 'throttled'
}

function isMany(failures: Failures): boolean {
  return failures.size >= MAX_FAILURES && new Set(failures.values()).size >= MIN_CUSTOMERS
}

function subscriptionOf({ customerId, subscriptionId }: SubscriptionRef): Whom {
  return { name: JSON.stringify([customerId, subscriptionId]), customer: customerId }
}

const AGAIN = `coalesce(a.probed_at, '-infinity') < statement_timestamp() - $3::int * interval '1 millisecond'`

/**
 * Returns an account's probes, shared by all processes. If the database is unreachable, each process probes by itself.
 */
export function probesOf({ vendor, vendorAccount }: Account): Probes {
  const accountKey = [vendor, vendorAccount]
  const failed = (error: unknown) =>
    log().warn({ vendor, account: vendorAccount, reason: reasonOf(error).slice(0, 300) }, 'probe not shared')
  return {
    async tryAcquire(everyMs) {
      try {
        const { rowCount } = await database().jobs.query(
          `INSERT INTO vendor_accounts AS a (vendor, name, probed_at) VALUES ($1, $2, statement_timestamp())
           ON CONFLICT (vendor, name) DO UPDATE SET probed_at = statement_timestamp() WHERE ${AGAIN}`,
          [...accountKey, everyMs],
        )
        return rowCount === 1
      } catch (error) {
        failed(error)
        return true
      }
    },
    async release() {
      const query = 'UPDATE vendor_accounts SET probed_at = NULL WHERE vendor = $1 AND name = $2'
      await database().jobs.query(query, accountKey).catch(failed)
    },
  }
}
