import 'server-only'
import { Problem } from '#lib/platform/api/problem.ts'

/** Who may begin now. */
export type FairSemaphore = {
  /**
   * Waits for a turn and returns what ends it.
   * @throws Error the `refusal`, where too many wait already, or there was no turn within the wait
   */
  acquire(customerId: string): Promise<() => void>
  /** How many wait for one. */
  waiting(): number
}

export type Bounds = {
  /** Turns at once. */
  most: number
  /** Of them, how many one customer holds at most: at least 1. */
  share: number
  /** How many may wait: each customer's own, and all customers' together; without it, however many. */
  mostWaiting?: { each: number; all: number }
  /** For how long a turn is waited for, in milliseconds; without it, for as long as it takes. */
  waitMs?: number
  /** What whoever gets no turn is told. */
  timeoutError: () => Error
}

type Waiting = { begin(): void }

/**
 * Shares something scarce between customers, as the connections of a pool. One alone holds at most a share, so that
 * another one's first request never waits for the first one's work; and who waits is let in by how few he holds, not by
 * when he came. Of those who hold as few, each has a turn before one has two.
 */
export function fairSemaphore({ most, share, mostWaiting, waitMs, timeoutError }: Bounds): FairSemaphore {
  const slotsOf = new Map<string, number>()
  // In the order in which customers began to wait; within one, first come, first served.
  const queues = new Map<string, Waiting[]>()
  let all = 0

  const holds = (customerId: string) => slotsOf.get(customerId) ?? 0
  const waiting = () => [...queues.values()].reduce((sum, queue) => sum + queue.length, 0)
  const isFull = (queue: readonly Waiting[]) =>
    mostWaiting !== undefined && (queue.length >= mostWaiting.each || waiting() >= mostWaiting.all)
  const begin = (customerId: string) => {
    all += 1
    slotsOf.set(customerId, holds(customerId) + 1)
  }
  const end = (customerId: string) => {
    all -= 1
    const left = holds(customerId) - 1
    if (left > 0) slotsOf.set(customerId, left)
    else slotsOf.delete(customerId)
    next()
  }
  const next = () => {
    while (all < most) {
      const customerId = nextOf(queues.keys(), holds, share)
      const queue = customerId === undefined ? undefined : queues.get(customerId)
      const first = queue?.shift()
      if (customerId === undefined || !queue || !first) return
      // Whoever had a turn comes after the others who hold as few.
      queues.delete(customerId)
      if (queue.length > 0) queues.set(customerId, queue)
      first.begin()
    }
  }
  /** A turn is ended once, however often it is said. */
  const ending = (customerId: string) => {
    let isEnded = false
    return () => {
      if (isEnded) return
      isEnded = true
      end(customerId)
    }
  }
  const wait = (customerId: string) =>
    new Promise<() => void>((resolve, reject) => {
      const queue = queues.get(customerId) ?? []
      if (isFull(queue)) throw timeoutError()
      const waiter: Waiting = {
        begin() {
          clearTimeout(timer)
          begin(customerId)
          resolve(ending(customerId))
        },
      }
      const giveUp = () => {
        queue.splice(queue.indexOf(waiter), 1)
        if (queue.length === 0) queues.delete(customerId)
        reject(timeoutError())
      }
      const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs)
      queue.push(waiter)
      queues.set(customerId, queue)
    })

  return {
    async acquire(customerId) {
      if (all >= most || holds(customerId) >= share) return wait(customerId)
      begin(customerId)
      return ending(customerId)
    },
    waiting,
  }
}

/** Of those who wait and hold less than their share, who holds fewest; of these the first. */
function nextOf(
  waiting: Iterable<string>,
  holds: (customerId: string) => number,
  share: number,
): string | undefined {
  let candidate: string | undefined
  for (const customerId of waiting) {
    const isFewer = candidate === undefined || holds(customerId) < holds(candidate)
    if (isFewer && holds(customerId) < share) candidate = customerId
  }
  return candidate
}

/**
 * Reads that a process works on at once, of one customer and of all. What is worked on at once is what anybody else's answer may
 * have to wait for in this process: a millisecond or two each. More of one customer wait, and beyond a hundred are told
 * to come again.
 */
const AT_ONCE = { share: 12, most: 48 }
const MAX_WAITING = { each: 100, all: 1000 }
const MAX_WAIT_MS = 2000

const { acquire } = fairSemaphore({
  ...AT_ONCE,
  mostWaiting: MAX_WAITING,
  waitMs: MAX_WAIT_MS,
  timeoutError: () =>
    new Problem('service_unavailable', 'Too many of your requests are worked on at the moment. Try again.', {
      headers: { 'Retry-After': '1' },
    }),
})

/**
 * Waits until a read of this customer may begin, and returns what ends it. What is sent while it is made has turns of its
 * own where it reads, and a change waits for others.
 * @throws Problem `service_unavailable`
 */
export async function acquireReadSlot(
  { method, limit }: { method: string; limit: string },
  customerId: string,
): Promise<() => void> {
  return method === 'GET' && limit === 'requests' ? acquire(customerId) : () => {}
}

/** How many may be inside at once, how many may wait for it, and for how long, in milliseconds. */
export type Width = { atOnce: number; waiting: number; timeoutMs: number }

/** Lets in; what it gives lets the next one in, and may be called again. */
export type Gate = () => Promise<() => void>

/**
 * A bound on work that takes a processor: few at once, some wait in their order, and the others are told when to come
 * again.
 * @throws Problem `service_unavailable`, where too many wait or it took too long
 */
export function gate({ atOnce, waiting, timeoutMs }: Width): Gate {
  const queue = new Set<() => void>()
  let inside = 0

  /** Whoever waits has the place that becomes free: nobody who comes just then gets before. */
  const leave = () => {
    const [next] = queue
    if (next) next()
    else inside -= 1
  }
  const pass = () => {
    let isInside = true
    return () => {
      if (isInside) leave()
      isInside = false
    }
  }
  return async () => {
    if (inside < atOnce) {
      inside += 1
      return pass()
    }
    if (queue.size >= waiting) throw busy()
    await new Promise<void>((resolve, reject) => {
      const end = (then: () => void) => {
        clearTimeout(timer)
        queue.delete(go)
        then()
      }
      const go = () => end(resolve)
      const timer = setTimeout(() => end(() => reject(busy())), timeoutMs)
      queue.add(go)
    })
    return pass()
  }
}

function busy(): Problem {
  return new Problem('service_unavailable', 'Too much is asked for at this moment. Please try again.', {
    headers: { 'Retry-After': '2' },
  })
}

/**
 * What `work` gives, or `late` at the abort, whichever comes first. The work goes on, and must not reject: others may
 * wait for it. The listener keeps the signal itself: a signal that only a chain of others leads to may be collected as
 * garbage, and its abort would never come.
 */
export async function inTime<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  fallback: Result,
): Promise<Result> {
  if (signal.aborted) return fallback
  const { promise: aborted, resolve } = Promise.withResolvers<Result>()
  const giveUp = () => resolve(fallback)
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}
