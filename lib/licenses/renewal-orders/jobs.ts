import 'server-only'
import { dueOrders } from '#lib/identity/access/due-work.ts'
import { forEach } from '#lib/platform/runtime/concurrency.ts'
import { reconcile } from './reconcile.ts'

/**
 * Reconciles the orders that are due. The job carries out existing orders on their dates, and chooses no numbers.
 * @returns the number of orders
 * @throws AggregateError of those that failed
 */
export async function reconcileOrders(requestId: string, signal: AbortSignal): Promise<number> {
  let count = 0
  await forEach(await dueOrders(), async (due) => {
    if (signal.aborted) return
    count += 1
    await reconcile(due, due, requestId)
  })
  return count
}
