import 'server-only'
import { type LicensedRow, lockLicensed } from '#lib/licenses/assets/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import type { GuardedVendor } from '#lib/vendors/breaker.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import type { Reading } from '#lib/vendors/vendor.ts'
import { isAnew, observe } from '../observe.ts'
import { changesWithin, readChange } from '../store/find.ts'
import { type Change, moveChange } from '../store/transitions.ts'
import { noteSeen } from '../store/turns.ts'
import { type Evidence, provenState } from './proof.ts'

/** The turn to ask the vendor. `change` as it was before: what is judged is as old as that. */
export type Turn = { vendor: GuardedVendor; row: LicensedRow; change: Change & { age: number } }

/** Whether what was asked for is still to be judged: it is unknown, and was not sent again meanwhile. */
export function isStillAsked(now: Change | undefined, { change }: Turn): now is Change {
  return now?.state === 'UNKNOWN' && now.movedAt.getTime() === change.movedAt.getTime()
}

/** What a read proves of an unknown change. */
export async function judge(
  tx: Transaction,
  customerId: CustomerId,
  changeId: string,
  turn: Turn,
  reading: Reading,
  requestId: string,
): Promise<Change | undefined> {
  const { vendor, row } = turn
  const asset = await lockLicensed(tx, customerId, row.id)
  const change = await readChange(tx, customerId, changeId)
  if (!isStillAsked(change, turn)) return change
  const { fromQuantity: from, toQuantity: to, seenQuantity } = change
  const { staleMs, writeMs } = vendorTimes()
  const lately = await changesWithin(tx, customerId, row, staleMs)
  const read = totalIn(reading)
  const state = provenState({
    from,
    to,
    read,
    // Under another id it may be another subscription: that it has the total from before proves nothing of ours.
    wasMoved: seenQuantity !== null || (reading.kind === 'read' && isAnew(vendor, row, reading.observed)),
    // The call left after its record, within the time of a write; and it took no longer than that again.
    age: turn.change.age - 2 * writeMs,
    settleMs: vendor.settleMs,
    isOrdered: change.pollRef !== null,
    hadBefore: lately.some(({ fromQuantity }) => fromQuantity === to),
  })
  if (state === 'UNKNOWN') {
    // What it was before our own latest change is an old state, and no sign of anybody else.
    const isOld = lately.some(({ fromQuantity }) => fromQuantity === read)
    const isThird = typeof read === 'number' && read !== from && read !== to
    if (isThird && !isOld) await noteSeen(tx, customerId, changeId, read)
    return change
  }
  const vendorReason = state === 'APPLIED' ? undefined : notProven(state, vendor.label, { from, to, read })
  const moved = await moveChange(tx, customerId, changeId, {
    from: ['UNKNOWN'],
    to: state,
    vendorReason,
    requestId,
  })
  if (reading.kind === 'read') {
    const { observed } = reading
    await observe(tx, customerId, asset, { vendor, observed, requestId, confirmed: state === 'APPLIED' })
  }
  return moved
}

function totalIn(reading: Reading): Evidence['read'] {
  if (reading.kind === 'read') return reading.observed.seats.purchased
  return reading.kind === 'missing' ? 'hidden' : 'unanswered'
}

/** What people are told of a change that no read has proven to be applied: what is known, and what to do. */
function notProven(
  state: 'FAILED' | 'UNCLEAR',
  label: string,
  { from, to, read }: Pick<Evidence, 'from' | 'to' | 'read'>,
): string {
  if (state === 'FAILED') return `${label} shows ${count(from)} as before: it was not applied.`
  const shown = {
    hidden: 'it does not show us this subscription any more',
    unanswered: 'it did not answer when it was asked',
  }
  const what =
    typeof read === 'number'
      ? `it shows ${count(read)}, and somebody else has changed it there too`
      : shown[read]
  return `We can’t tell whether the change to ${count(to)} reached ${label}: ${what}. Compare the total there with the one that you need, and set it again where it differs.`
}

const count = (total: number) => total.toLocaleString('en')
