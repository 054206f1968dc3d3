import 'server-only'
import { customersWhoAreGone } from '#lib/identity/access/due-work.ts'
import { databaseSettings } from '#lib/platform/db/settings.ts'
import { log } from '#lib/platform/runtime/log.ts'
import { removeCustomer } from '../owner/remove-customer.ts'

/**
 * Removes the customers whose time is over, of each all rows at once, if they were exported since they were closed. Only the
 * database's owner may: where this process is kept away from it (MIGRATE_AT_START=0), it says whom the operator's command
 * would remove.
 * @param url of the database
 * @returns how many customers
 * @throws AggregateError of those that failed; each other one was tried
 */
export async function removeDeparted(requestId: string, signal: AbortSignal, url: string): Promise<number> {
  const errors: unknown[] = []
  let count = 0
  for (const { customerId, isExported } of await customersWhoAreGone()) {
    if (signal.aborted) break
    if (!isExported || !databaseSettings().migratesAtStart) {
      const todo = isExported ? 'run: customers remove-gone' : 'export it: its rows wait'
      log().warn({ requestId, customerId, todo }, 'customer is gone and not removed')
      continue
    }
    try {
      if (await removeCustomer(url, customerId)) count += 1
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} customers could not be removed.`)
  return count
}
