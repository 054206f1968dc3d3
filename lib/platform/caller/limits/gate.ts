import 'server-only'
import { Problem } from '#lib/platform/api/problem.ts'

/** How many may be inside at once, how many may wait for it, and for how long, in milliseconds. */
export type Width = { atOnce: number; waiting: number; patience: number }

/** Lets in; what it gives lets the next one in, and may be called again. */
export type Gate = () => Promise<() => void>

/**
 * A bound on work that takes a processor: few at once, some wait in their order, and the others are told when to come
 * again.
 * @throws Problem `service_unavailable`, where too many wait or it took too long
 */
export function gate({ atOnce, waiting, patience }: Width): Gate {
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
        clearTimeout(late)
        queue.delete(go)
        then()
      }
      const go = () => end(resolve)
      const late = setTimeout(() => end(() => reject(busy())), patience)
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
