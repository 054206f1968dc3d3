import 'server-only'
import { dueOrders } from '#lib/identity/access/due-work.ts'
import { forEach } from '#lib/licenses/license-changes/vendor-sync/for-each.ts'
import { place } from './placing/place.ts'

/**
 * Sees to the orders for next terms whose time has come, or that their vendor does not show. It carries out what people
 * ordered, at the date for which they did, and decides no number.
 * @param signal when to leave the rest to the next run
 * @returns how many were looked at
 * @throws AggregateError of those that failed
 */
export async function seeToOrders(requestId: string, signal: AbortSignal): Promise<number> {
  let looked = 0
  await forEach(await dueOrders(), async (due) => {
    if (signal.aborted) return
    looked += 1
    await place(due, due, requestId)
  })
  return looked
}
