import 'server-only'
import { pruneConfirmations } from '#lib/platform/api/confirmations.ts'
import { pruneKeys } from '#lib/platform/api/idempotency.ts'
import { pruneSessions } from '#lib/platform/caller/session.ts'
import { listCustomers } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { NO_CUSTOMER, pruneMessages } from '#lib/platform/outbox/store.ts'
import { DOMAIN_WORK } from '../domain-work.ts'

/** The rows of the platform, then those of the domains. */
const PRUNED = [
  pruneSessions,
  pruneKeys,
  pruneConfirmations,
  pruneMessages,
  ...DOMAIN_WORK.flatMap(({ prune = [] }) => prune),
]
const ANONYMOUS = [
  () => scope({ customerId: NO_CUSTOMER }, (tx) => pruneMessages(tx, NO_CUSTOMER), { evenIfClosed: true }),
  ...DOMAIN_WORK.flatMap(({ pruneAnonymous = [] }) => pruneAnonymous),
]

/**
 * Removes rows after their retention: of each customer, table by table, and unfinished sign-ins and recoveries.
 * Failures are retried the next night, and do not stop the others.
 * @returns how many rows
 * @throws AggregateError of the failures
 */
export async function prune(_requestId: string, signal: AbortSignal): Promise<number> {
  let count = 0
  for (const part of ANONYMOUS) count += await part()
  const errors: unknown[] = []
  for (const { customerId } of await listCustomers())
    for (const part of PRUNED) {
      if (signal.aborted) return count
      const removed = scope({ customerId }, (tx) => part(tx, customerId), { evenIfClosed: true })
      count += await removed.catch((error: unknown) => {
        errors.push(error)
        return 0
      })
    }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} parts could not be removed.`)
  return count
}
