import 'server-only'
import type { AnyContract } from '#lib/platform/api/contract.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { turns } from '#lib/platform/runtime/turns.ts'

/**
 * Reads that a process works on at once, of one customer and of all. What is worked on at once is what anybody else's answer may
 * have to wait for in this process: a millisecond or two each. More of one customer wait, and beyond a hundred are told
 * to come again.
 */
const AT_ONCE = { share: 12, most: 48 }
const MOST_WAITING = { each: 100, all: 1000 }
const MOST_WAIT_MS = 2000

const { take } = turns({
  ...AT_ONCE,
  mostWaiting: MOST_WAITING,
  waitMs: MOST_WAIT_MS,
  refusal: () =>
    new Problem('service_unavailable', 'Too many of your requests are worked on at the moment. Try again.', {
      headers: { 'Retry-After': '1' },
    }),
})

/**
 * Waits until a read of this customer may begin, and returns what ends it. What is sent while it is made has turns of its
 * own where it reads, and a change waits for others.
 * @throws Problem `service_unavailable`
 */
export async function readTurn({ method, limit }: AnyContract, customerId: string): Promise<() => void> {
  return method === 'GET' && limit === 'requests' ? take(customerId) : () => {}
}
