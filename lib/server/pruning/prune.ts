import 'server-only'
import { pruneChallenges } from '#lib/identity/access/factors/passkeys.ts'
import { pruneRecoveries } from '#lib/identity/access/links/recoveries.ts'
import { pruneLinks } from '#lib/identity/access/links/store.ts'
import { pruneBrowsers } from '#lib/identity/access/sign-ins/browsers.ts'
import { pruneBudgets } from '#lib/identity/access/sign-ins/budgets.ts'
import { prunePending } from '#lib/identity/access/sign-ins/pending.ts'
import { prunePendingSignOns } from '#lib/identity/access/sign-on/code-flow.ts'
import { pruneLogouts } from '#lib/identity/access/sign-on/logout.ts'
import { pruneAdopted } from '#lib/identity/account-mails/adopt.ts'
import { pruneSeatSamples } from '#lib/licenses/assets/store.ts'
import { pruneDismissals } from '#lib/notifications/needs/store.ts'
import * as notices from '#lib/notifications/notices/outbox.ts'
import { pruneDailyEvents } from '#lib/notifications/webhooks/daily.ts'
import { pruneKeys } from '#lib/platform/api/idempotency.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { pruneSessions } from '#lib/platform/caller/session.ts'
import { listCustomers } from '#lib/platform/caller/store.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { NO_CUSTOMER, pruneMessages } from '#lib/platform/outbox/store.ts'

/**
 * Functions that remove a customer's rows after their retention, and return how many. docs/operations.md lists the
 * retention times.
 */
const PRUNED: readonly ((tx: Transaction, customerId: CustomerId) => Promise<number>)[] = [
  pruneSessions,
  pruneBrowsers,
  pruneKeys,
  pruneSeatSamples,
  notices.pruneMails,
  pruneAdopted,
  pruneMessages,
  pruneDailyEvents,
  pruneLinks,
  pruneDismissals,
]

/** Functions that remove rows without a customer: unfinished sign-ins, and their used counters and challenges. */
const OF_NOBODY = [
  pruneBudgets,
  prunePending,
  pruneRecoveries,
  pruneChallenges,
  prunePendingSignOns,
  pruneLogouts,
  () => scope({ customerId: NO_CUSTOMER }, (tx) => pruneMessages(tx, NO_CUSTOMER), { evenIfClosed: true }),
]

/**
 * Removes rows after their retention: of each customer, table by table, and unfinished sign-ins and recoveries.
 * Failures are retried the next night, and do not stop the others.
 * @returns how many rows
 * @throws AggregateError of the failures
 */
export async function prune(_requestId: string, signal: AbortSignal): Promise<number> {
  let count = 0
  for (const part of OF_NOBODY) count += await part()
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
