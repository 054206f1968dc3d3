import 'server-only'
import { type DueChange, dueChanges } from '#lib/identity/access/due-work.ts'
import { forEach } from '#lib/platform/runtime/concurrency.ts'
import { log } from '#lib/platform/runtime/log.ts'
import { remoteVendors } from '#lib/vendors/vendors.ts'
import { reconcileChange, type WhenUnknown } from './reconcile.ts'
import { isOpen } from './rules.ts'
import { readUnresolved } from './settle-by-hand.ts'
import { readDue, readList } from './vendor-sync/pass.ts'

// Background jobs read, and never buy.

/** Signal of a run without a stop. */
const NEVER = new AbortController().signal

/**
 * Reconciles open changes by reads; a failure does not stop the others. If the call budget allows only some changes,
 * each run selects others.
 * @param signal leaves the rest to the next run when aborted
 * @returns the number of changes that were looked up
 * @throws AggregateError of the failures
 */
export async function reconcileOpenChanges(requestId: string, signal = NEVER): Promise<number> {
  const due = shuffled(await dueChanges())
  let looked = 0
  await forEach(due, async (one) => {
    if (signal.aborted) return
    looked += 1
    let readText: string | undefined
    const whenUnknown: WhenUnknown = async (_tx, _change, _lease, readResult) => {
      readText =
        readResult.kind === 'read' ? `It shows ${readResult.observed.seats.purchased}.` : readResult.reason
    }
    const change = await reconcileChange(one, one.changeId, requestId, { whenUnknown, isJob: true })
    if (change && isOpen(change.state)) await warnOfDelay(one, readText, requestId)
  })
  return looked
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item)
}

/** Logs a warning about a change that is open longer than its vendor's settle time. */
async function warnOfDelay(due: DueChange, readText: string | undefined, requestId: string): Promise<void> {
  const { change, vendor, age, isOverdue } = (await readUnresolved(due)) ?? {}
  if (!change || !isOverdue || !isOpen(change.state)) return
  const logFields = {
    customerId: due.customerId,
    assetId: change.assetId,
    changeId: change.id,
    vendor: vendor?.name,
    account: vendor?.account,
    state: change.state,
    openSeconds: Math.round((age ?? 0) / 1000),
    // Result of the read just now, which proved nothing.
    reading: readText,
  }
  log().warn({ requestId, ...logFields }, 'change open for longer than its vendor may be late')
}

/**
 * Reads due subscriptions of all configured vendor accounts, and continues their lists.
 * @param signal leaves the rest to the next run when aborted
 * @returns the number of assets that were observed
 * @throws AggregateError of the accounts that could not be read; the results of completed reads stay stored
 */
export async function readVendors(requestId: string, signal = NEVER): Promise<number> {
  let count = 0
  await forEach(remoteVendors(), async (vendor) => {
    const due = await readDue(vendor, requestId, signal)
    const listed = await readList(vendor, requestId, signal)
    count += due + listed
  })
  return count
}
