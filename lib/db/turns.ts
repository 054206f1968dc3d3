/** Who may use a pool's connections now. */
export type Turns = {
  /**
   * Waits for a turn and returns what ends it.
   * @throws Error `no turn in time` where there was none within the wait
   */
  take(customerId: string): Promise<() => void>
  /** How many wait for one. */
  waiting(): number
}

type Waiting = { begin(): void }

/**
 * Shares a pool between customers. One alone holds at most a share, so that another one's first request never waits for
 * the first one's statements; and who waits is let in by how few he holds, not by when he came.
 * @param most turns at once, as many as the pool has connections
 * @param share of them that one customer holds at most: at least 1
 * @param waitMs for how long a turn is waited for, in milliseconds
 */
export function turns(most: number, share: number, waitMs: number): Turns {
  const held = new Map<string, number>()
  // In the order in which customers began to wait; within one, first come, first served.
  const queues = new Map<string, Waiting[]>()
  let all = 0

  const holds = (customerId: string) => held.get(customerId) ?? 0
  const begin = (customerId: string) => {
    all += 1
    held.set(customerId, holds(customerId) + 1)
  }
  const end = (customerId: string) => {
    all -= 1
    const left = holds(customerId) - 1
    if (left > 0) held.set(customerId, left)
    else held.delete(customerId)
    next()
  }
  const next = () => {
    while (all < most) {
      const customerId = nextOf(queues.keys(), holds, share)
      const queue = customerId === undefined ? undefined : queues.get(customerId)
      const waiting = queue?.shift()
      if (customerId === undefined || !queue || !waiting) return
      // Whoever had a turn comes after the others who hold as few.
      queues.delete(customerId)
      if (queue.length > 0) queues.set(customerId, queue)
      waiting.begin()
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
      const waiting: Waiting = {
        begin() {
          clearTimeout(timer)
          begin(customerId)
          resolve(ending(customerId))
        },
      }
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(waiting), 1)
        if (queue.length === 0) queues.delete(customerId)
        reject(new Error('no turn in time: others use the connections'))
      }, waitMs)
      queue.push(waiting)
      queues.set(customerId, queue)
    })

  return {
    async take(customerId) {
      if (all >= most || holds(customerId) >= share) return wait(customerId)
      begin(customerId)
      return ending(customerId)
    },
    waiting: () => [...queues.values()].reduce((sum, queue) => sum + queue.length, 0),
  }
}

/** Of those who wait and hold less than their share, who holds fewest; of these the first. */
function nextOf(
  waiting: Iterable<string>,
  holds: (customerId: string) => number,
  share: number,
): string | undefined {
  let found: string | undefined
  for (const customerId of waiting) {
    const isFewer = found === undefined || holds(customerId) < holds(found)
    if (isFewer && holds(customerId) < share) found = customerId
  }
  return found
}
