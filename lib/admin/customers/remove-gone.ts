import { customersWhoAreGone } from '#lib/identity/access/due-work.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { startDatabase } from '#lib/platform/db/start.ts'
import { removeCustomer } from '#lib/server/owner/remove-customer.ts'
import { interruption, note, print } from '../terminal.ts'

/** What the job does each night, for installations whose web processes are kept away from the database's owner. */
export async function removeGone({ dryRun = false }: { dryRun?: boolean }): Promise<void> {
  const { url } = await startDatabase()
  const waiting: string[] = []
  for (const { customerId, isExported } of await customersWhoAreGone()) {
    interruption.signal.throwIfAborted()
    if (!isExported) waiting.push(customerId)
    else if (dryRun) note(`${customerId} would be removed.`)
    else if (await removeCustomer(url, customerId)) print(customerId)
  }
  if (waiting.length > 0)
    throw new Problem(
      'invalid_request',
      `Not exported since they were closed, and so not removed: ${waiting.join(', ')}.`,
    )
}
