import 'server-only'
import { type DueChange, dueChanges } from '#lib/identity/access/due-work.ts'
import { log } from '#lib/platform/runtime/log.ts'
import { remoteVendors } from '#lib/vendors/vendors.ts'
import { readUnresolved } from './by-hand.ts'
import { reconcileChange, type WhenUnknown } from './reconcile.ts'
import { isOpen } from './rules.ts'
import { forEach } from './vendor-sync/for-each.ts'
import { readDue, readList } from './vendor-sync/pass.ts'

// What runs in the background reads, and never buys.

/** Of a run that nobody stops. */
const NEVER = new AbortController().signal

/**
 * Settles what is open, by reading; one that fails keeps no other from it. Where there are more than may be called for,
 * each run comes to others of them.
 * @param signal when to leave the rest to the next run
 * @returns how many were looked at
 * @throws AggregateError of those that failed
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

/** Somebody has to hear of a change that is open for longer than its vendor may be late. */
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
    // What a read of its subscription has just told; it was no proof.
    reading: readText,
  }
  log().warn({ requestId, ...logFields }, 'change open for longer than its vendor may be late')
}

/**
 * Reads what is due of all vendors' accounts that are set up, and goes on with their lists.
 * @param signal when to leave the rest to the next run
 * @returns how many assets were told of
 * @throws AggregateError of the accounts that could not be read; what was read of them is kept
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
