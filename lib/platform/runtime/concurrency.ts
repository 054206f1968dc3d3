import 'server-only'
import { availableParallelism } from 'node:os'
import pLimit from 'p-limit'
import { Problem } from '#lib/platform/api/problem.ts'

/** Fair semaphore for requests of customers. */
export type FairSemaphore = {
  /**
   * Waits for a slot and returns the function that releases it.
   * @throws Error `timeoutError`, if too many are waiting already, or no slot became free in time
   */
  acquire(customerId: string): Promise<() => void>
  /** Returns the number of waiting requests. */
  waiting(): number
}

export type Bounds = {
  /** Number of slots. */
  most: number
  /** Most slots that one customer may hold: at least 1. */
  share: number
  /** Most waiting requests: of each customer, and of all customers; unlimited by default. */
  mostWaiting?: { each: number; all: number }
  /** Longest wait for a slot, in milliseconds; unlimited by default. */
  waitMs?: number
  /** Returns the error for a request that gets no slot. */
  timeoutError: () => Error
}

type Waiting = { begin(): void }

/**
 * Returns a semaphore that shares a scarce resource, such as a pool's connections, fairly between customers. A customer
 * holds at most a share, so that another one's first request never waits for the first one's work. A free slot goes to
 * the waiting customer that holds the fewest, not to the first in line; among equals, each gets one before one gets a
 * second.
 */
export function fairSemaphore({ most, share, mostWaiting, waitMs, timeoutError }: Bounds): FairSemaphore {
  const slotsOf = new Map<string, number>()
  // Customers in the order of their arrival; within one customer, first come, first served.
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
      // The served customer moves behind the others that hold equally few slots.
      queues.delete(customerId)
      if (queue.length > 0) queues.set(customerId, queue)
      first.begin()
    }
  }
  /** Returns an idempotent release function. */
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

/** Returns the first waiting customer among those that hold the fewest slots and less than their share. */
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
 * Most concurrent reads of a process, of one customer and of all. Each takes a millisecond or two, for which other
 * answers of this process may have to wait. Further reads of the customer wait, and beyond a hundred are refused with
 * Retry-After.
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
 * Waits until a read of this customer may begin, and returns the function that releases its slot. Streams have slots of
 * their own where they read, and changes wait for locks.
 * @throws Problem `service_unavailable`
 */
export async function acquireReadSlot(
  { method, limit }: { method: string; limit: string },
  customerId: string,
): Promise<() => void> {
  return method === 'GET' && limit === 'requests' ? acquire(customerId) : () => {}
}

/** Longest time that a batch holds its slot, in milliseconds: a slower one waits for the database. */
const MAX_BATCH_MS = 250

/** Batches of exports that are read concurrently: one processor is left to short answers. */
const CONCURRENT_BATCHES = Math.max(1, availableParallelism() - 1)
const { acquire: acquireBatchSlot } = fairSemaphore({
  ...{ most: CONCURRENT_BATCHES, share: CONCURRENT_BATCHES },
  timeoutError: () => new Error('no slot'),
})

/**
 * Yields the batches of an export, each read in a slot that customers share fairly. The slot also covers the consumer's
 * immediate work on the batch.
 */
export async function* fairBatches<T>(
  customerId: string,
  batches: AsyncGenerator<T, void, undefined>,
): AsyncGenerator<T, void, undefined> {
  try {
    for (;;) {
      const leave = await acquireBatchSlot(customerId)
      const timer = setTimeout(leave, MAX_BATCH_MS)
      const { done, value } = await batches.next().finally(() => {
        clearTimeout(timer)
        setImmediate(leave)
      })
      if (done) return
      yield value
    }
  } finally {
    await batches.return()
  }
}

/** Most concurrent entries, most waiting ones, and their longest wait in milliseconds. */
export type Width = { atOnce: number; waiting: number; timeoutMs: number }

/**
 * Waits for admission and returns an idempotent function that leaves.
 * @param isFirst whether to pass those that wait without it
 */
export type Gate = (isFirst?: boolean) => Promise<() => void>

/**
 * Returns a semaphore for CPU-bound work: few at a time, some wait in order, and the others are refused with
 * Retry-After.
 * @throws Problem `service_unavailable` if too many wait or the wait took too long
 */
export function gate({ atOnce, waiting, timeoutMs }: Width): Gate {
  const [firsts, others] = [new Set<() => void>(), new Set<() => void>()]
  let inside = 0

  /** Passes a freed place to the first in line, so that no newcomer can overtake. */
  const leave = () => {
    const [next] = firsts.size > 0 ? firsts : others
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
  return async (isFirst = false) => {
    if (inside < atOnce) {
      inside += 1
      return pass()
    }
    const queue = isFirst ? firsts : others
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

/** Client of a budget: a customer, or undefined for an unknown client. */
type Client = string | undefined

/** Budget of bytes that a process holds for its clients. */
export type ByteBudget = {
  /**
   * Reserves bytes.
   * @throws Problem `service_unavailable` if fewer are left for the client
   */
  reserve(bytes: number, client: Client): void
  /**
   * Checks whether any bytes are left for the client.
   * @throws Problem `service_unavailable`
   */
  check(client: Client): void
  /** Counts bytes that are held already, and returns an idempotent function that releases them. */
  hold(bytes: number, client: Client): () => void
  release(bytes: number, client: Client): void
}

/**
 * Returns a budget of bytes for buffers that many clients fill. Unknown clients are rejected first, so that their
 * requests leave memory to callers; then a customer that holds more than a share.
 * @param limits.each share of one customer; unlimited by default
 */
export function byteBudget(limits: { all: number; each?: number; anonymous: number }): ByteBudget {
  const { all, each = all, anonymous } = limits
  const usedBy = new Map<Client, number>()
  let used = 0
  const hasRoom = (bytes: number, client: Client) =>
    client === undefined
      ? used + bytes <= anonymous
      : used + bytes <= all && (usedBy.get(client) ?? 0) + bytes <= each
  const add = (bytes: number, client: Client) => {
    used += bytes
    const left = (usedBy.get(client) ?? 0) + bytes
    if (left > 0) usedBy.set(client, left)
    else usedBy.delete(client)
  }
  const release = (bytes: number, client: Client) => add(-bytes, client)
  return {
    reserve(bytes, client) {
      if (!hasRoom(bytes, client)) throw busy()
      add(bytes, client)
    },
    check(client) {
      if (!hasRoom(1, client)) throw busy()
    },
    hold(bytes, client) {
      add(bytes, client)
      let isReleased = false
      return () => {
        if (!isReleased) release(bytes, client)
        isReleased = true
      }
    },
    release,
  }
}

const MB = 1024 * 1024

/** Bytes of answers that their clients have not taken yet: slow readers make a process hold them. */
const unread = byteBudget({ all: 80 * MB, each: 24 * MB, anonymous: 8 * MB })

/**
 * Checks before a read that its client, and all clients, have taken enough of their former answers. Changes are never
 * refused for it.
 * @throws Problem `service_unavailable`, to unknown clients first
 */
export function checkUnread(method: string, customerId: Client): void {
  if (method === 'GET' || method === 'HEAD') unread.check(customerId)
}

/** Counts bytes of an answer until the returned function is called, at its end. */
export function holdUnread(bytes: number, customerId: Client): () => void {
  return unread.hold(bytes, customerId)
}

/**
 * Returns the result of `work`, or `fallback` at the abort, whichever comes first. The work continues, and must not
 * reject: others may await it. The listener is on the signal itself: a signal that only derived signals refer to may
 * be garbage-collected, and its abort would never arrive.
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

/** Number of parallel workers of `forEach`, each with its own connection. */
const MAX_PARALLEL = 4

/**
 * Runs the work for each item, several in parallel; a failure does not stop the others.
 * @returns the results, in the order of the items
 * @throws AggregateError of the failures
 */
export async function forEach<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const limited = pLimit(MAX_PARALLEL)
  const ends = await Promise.allSettled(items.map((item) => limited(work, item)))
  const errors = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} of ${items.length} failed.`)
  return ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
}
