import 'server-only'
import { Problem } from '#lib/api/problem.ts'

/** How many may wait: each customer's own, and all customers' together. */
type Most = { each: number; all: number }

/**
 * Work of which one piece is done at a time. Each customer has a queue, and the queues take turns, so that nobody waits
 * for all that another one has asked for.
 * @returns what does a piece of a customer's work when its turn comes
 * @throws Problem `service_unavailable` where too many wait already
 */
export function turnsByCustomer(most: Most) {
  // In the order in which the customers' turns come.
  const queues = new Map<string, (() => void)[]>()
  let isBusy = false
  let waiting = 0

  const wait = (customerId: string) => {
    const queue = queues.get(customerId) ?? []
    if (queue.length >= most.each || waiting >= most.all)
      throw new Problem('service_unavailable', BUSY, LATER)
    queues.set(customerId, queue)
    waiting += 1
    return new Promise<void>((begin) => queue.push(begin))
  }
  const next = () => {
    const [first] = queues
    if (!first) {
      isBusy = false
      return
    }
    const [customerId, queue] = first
    const begin = queue.shift()
    waiting -= 1
    queues.delete(customerId)
    // Behind all others who wait now.
    if (queue.length > 0) queues.set(customerId, queue)
    begin?.()
  }
  return async <T>(customerId: string, work: () => Promise<T>): Promise<T> => {
    if (isBusy) await wait(customerId)
    isBusy = true
    try {
      return await work()
    } finally {
      next()
    }
  }
}

const BUSY = 'Too many documents are waiting to be drawn. Please try again.'
const LATER = { headers: { 'Retry-After': '5' } }
