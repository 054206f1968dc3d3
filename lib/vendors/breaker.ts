import 'server-only'
import type { Reading, RemoteVendor, SubscriptionRef, Unavailable, WriteAnswer } from './vendor.ts'
import type { Why } from './why.ts'

type Page = Awaited<ReturnType<RemoteVendor['list']>>

/** A vendor that is left alone for a while when it failed for several subscriptions in a row. */
export type GuardedVendor = RemoteVendor & {
  /** Whole seconds for which it is left alone from now on; 0: it may be asked. */
  pausedFor(): number
  /** Why the last call failed, while it is left alone. */
  pausedWhy(): Why | undefined
}

const MOST_FAILURES = 5
const LEAST_CUSTOMERS = 2

/** Whom a call is for: a subscription, or the vendor itself. */
type Whom = { name: string; customer: string }
/** For whom calls failed since one went well: the customers by the names. */
type Failures = Map<string, string>

/**
 * Puts a circuit breaker before a vendor: after calls for five subscriptions of two customers failed in a row, however
 * often each was tried, it is not called for `pauseMs` milliseconds, so that requests fail at once and it can recover.
 * Then one call at a time is let through, which decides; the subscription for which it failed has to wait twice as long
 * before it may try for all again. Kept per process: each learns it by itself.
 */
export function withBreaker(vendor: RemoteVendor, pauseMs: number): GuardedVendor {
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
  const reason = `${vendor.label} failed for ${MOST_FAILURES} subscriptions in a row and is left alone.`

  async function read<A extends Reading | Page>(
    whom: Whom,
    call: () => Promise<A>,
  ): Promise<A | Unavailable> {
    const retryAfter = waitOf(whom.name)
    if (retryAfter > 0) return { kind: 'unavailable', reason, retryAfter, why: lastWhy }
    const isTrial = isFailing()
    if (isTrial) isTrying = true
    const answer = await call().finally(() => {
      if (isTrial) isTrying = false
    })
    if (isThrottled(answer)) return answer
    const isDown = answer.kind === 'unavailable' && answer.others !== 'answer'
    if (isDown) lastWhy = answer.why
    triedLast = isTrial && isDown ? whom.name : undefined
    learn('read', whom, isDown)
    return answer
  }

  const { lookup } = vendor
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
      const answer = await vendor.setQuantity(observed, total, changeId, signal)
      if (isThrottled(answer)) return answer
      const isLost = answer.kind === 'not_sent' && answer.code === 'vendor_unavailable'
      if (isLost) lastWhy = answer.why
      learn('write', subscriptionOf(observed), answer.kind === 'unknown' || isLost)
      return answer
    },
    // What is not known of one write says nothing of the vendor.
    ...(lookup && {
      lookup: async (ref, write, signal) =>
        waitOf() > 0 ? { kind: 'unknown', reason } : lookup(ref, write, signal),
    }),
  }
}

/** Obeying a throttle is the budget's matter: it says nothing of what the vendor can do, good or bad. */
function isThrottled(answer: Reading | Page | WriteAnswer): boolean {
  return 'why' in answer && answer.why === 'throttled'
}

function isMany(failures: Failures): boolean {
  return failures.size >= MOST_FAILURES && new Set(failures.values()).size >= LEAST_CUSTOMERS
}

function subscriptionOf({ customerId, subscriptionId }: SubscriptionRef): Whom {
  return { name: JSON.stringify([customerId, subscriptionId]), customer: customerId }
}
