import { wanted } from './share.ts'
import type { Share } from './store.ts'

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

type Ask = (asked: { want: number; waiting: number }) => Promise<Share>
type Waiter = { resolve: (lease: Lease | undefined) => void; reject: (error: unknown) => void }

/** One limit as a process sees it. */
export type Budget = {
  /** Counts a request: the lease that it was taken from, or undefined where the window's budget is used up. */
  take(): Lease | undefined | Promise<Lease | undefined>
  /** Takes a count back: the request was not admitted after all. */
  giveBack(lease: Lease): void
  /** What was told last. */
  state(): Lease | undefined
}

/**
 * Counts by shares that the database gives: of the quota of a window exactly so many requests are admitted, by however
 * many processes. A request is counted in the window in which its share was given, or while that window surely lasts.
 * @param usualQuota how many there usually are, for the first question
 * @param ask gives the next share
 */
export function budget(usualQuota: number, ask: Ask, now = () => performance.now()): Budget {
  let lease: Lease | undefined
  const waiters: Waiter[] = []
  let isAsking = false

  const isLive = () => lease !== undefined && now() < lease.endsAt

  const renew = async (): Promise<void> => {
    isAsking = true
    while (waiters.length > 0) {
      const served = waiters.splice(0)
      await next(served).catch((error: unknown) => {
        for (const waiter of served) waiter.reject(error)
      })
      // Whoever came meanwhile may find something left.
      for (const waiter of waiters.splice(0)) answer(waiter)
    }
    isAsking = false
  }

  const next = async (served: Waiter[]) => {
    const sentAt = now()
    const want = wanted(lease?.quota ?? usualQuota, isLive() ? lease?.share : undefined)
    lease = renewed(lease, await ask({ want, waiting: served.length }), sentAt)
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
    const found = inHand()
    if (found === 'ask') waiters.push(waiter)
    else waiter.resolve(found)
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
    take() {
      const found = inHand()
      if (found !== 'ask') return found
      return new Promise((resolve, reject) => {
        waiters.push({ resolve, reject })
        if (!isAsking) renew()
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
