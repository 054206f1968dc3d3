import 'server-only'
import { database } from '#lib/platform/db/client.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import type { Account } from './accounts.ts'
import type { RemoteVendor, SubscriptionRef, Unavailable, VendorRead, Why, WriteAnswer } from './vendor.ts'

type Page = Awaited<ReturnType<RemoteVendor['list']>>

/** A vendor that is left alone for a while when it failed for several subscriptions in a row. */
export type GuardedVendor = RemoteVendor & {
  /** Whole seconds for which it is left alone from now on; 0: it may be asked. */
  pausedFor(): number
  /** Why the last call failed, while it is left alone. */
  pausedWhy(): Why | undefined
}

/** The turns to try a vendor that failed, shared by all who call it with one account. Nothing here throws. */
export type Probes = {
  /** Whether it may be tried now: once in so many milliseconds. */
  tryAcquire(everyMs: number): Promise<boolean>
  /** It answered: whoever is next may try at once. */
  release(): Promise<void>
}

/** Of a process that calls alone. */
const UNSHARED_PROBES: Probes = { tryAcquire: async () => true, release: async () => {} }

const MAX_FAILURES = 5
const MIN_CUSTOMERS = 2

/** Whom a call is for: a subscription, or the vendor itself. */
type Whom = { name: string; customer: string }
/** For whom calls failed since one went well: the customers by the names. */
type Failures = Map<string, string>

/**
 * Puts a circuit breaker before a vendor: after calls for five subscriptions of two customers failed in a row, however
 * often each was tried, it is not called for `pauseMs` milliseconds, so that requests fail at once and it can recover.
 * Then one call at a time is let through, which decides; the subscription for which it failed has to wait twice as long
 * before it may try for all again. What failed is known to a process alone, and the turns to try again are shared: the
 * more processes there are, the fewer each has.
 */
export function withBreaker(vendor: RemoteVendor, pauseMs: number, probes = UNSHARED_PROBES): GuardedVendor {
  // Apart, for a vendor may go on showing what it can't change: a read that went well says nothing of its writes.
  const failures: Record<'read' | 'write', Failures> = { read: new Map(), write: new Map() }
  let pausedUntil = 0
  let isTrying = false
  let triedLast: string | undefined
  let lists = 0
  let lastWhy: Why | undefined

  const isFailing = () => Object.values(failures).some(isMany)
  /** Whole seconds that a call has to wait. */
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
    const answer = await call()
    heard(whom, answer)
    return answer
  }

  /** The one call that finds out whether the vendor answers again, where it is this process's turn. */
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
      const answer = await call()
      const isDown = heard(whom, answer)
      triedLast = isDown ? whom.name : undefined
      if (isDown === false) await probes.release()
      return answer
    } finally {
      isTrying = false
    }
  }

  /** @returns whether the vendor is down; undefined where it throttles, which tells nothing of that */
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
    // Never held back: its change says SENT already, and the read before it has just been answered.
    async setQuantity(observed, total, changeId, signal) {
      return written(subscriptionOf(observed), await vendor.setQuantity(observed, total, changeId, signal))
    },
    ...(setNextTerm && {
      setNextTerm: async (seen, ...more) => written(subscriptionOf(seen), await setNextTerm(seen, ...more)),
    }),
    // What is not known of one write says nothing of the vendor.
    ...(lookup && {
      lookup: async (ref, write, signal) =>
        waitOf() > 0 ? { kind: 'unknown', reason } : lookup(ref, write, signal),
    }),
  }
}

/** Obeying a throttle is the budget's matter: it says nothing of what the vendor can do, good or bad. */
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
 * The turns to try an account's vendor that failed, as all processes share them. Where the database can't be asked, a
 * process takes its own.
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
