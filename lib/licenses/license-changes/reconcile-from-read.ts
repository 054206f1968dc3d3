import 'server-only'
import { type LicensedRow, lockLicensed } from '#lib/licenses/assets/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import type { GuardedVendor } from '#lib/vendors/breaker.ts'
import { evidentAfterMs, vendorTimes } from '#lib/vendors/settings.ts'
import type { VendorRead } from '#lib/vendors/vendor.ts'
import { type Change, changesWithin, moveChange, readChange } from './store/changes.ts'
import { noteSeen } from './store/poll-lease.ts'
import { isReplacement, maxAgeOf, observe } from './vendor-sync/read.ts'

/** Lease for polling the vendor. `change` is the state when the lease was acquired, which the evidence refers to. */
export type PollLease = { vendor: GuardedVendor; row: LicensedRow; change: Change & { age: number } }

/** Returns whether the change still needs evidence: unknown, and not resent since the lease was acquired. */
export function isStillUnresolved(now: Change | undefined, { change }: PollLease): now is Change {
  return now?.state === 'UNKNOWN' && now.movedAt.getTime() === change.movedAt.getTime()
}

/** Applies the evidence of a read to an unknown change. */
export async function reconcileFromRead(
  tx: Transaction,
  customerId: CustomerId,
  lease: PollLease,
  { readResult, requestId }: { readResult: VendorRead; requestId: string },
): Promise<Change | undefined> {
  const { vendor, row } = lease
  const { id: changeId } = lease.change
  const asset = await lockLicensed(tx, customerId, row.id)
  const change = await readChange(tx, customerId, changeId)
  if (!isStillUnresolved(change, lease)) return change
  const { fromQuantity: from, toQuantity: to, seenQuantity } = change
  const { staleMs } = vendorTimes()
  const maxAge = readResult.kind === 'read' ? maxAgeOf(readResult.observed) : staleMs
  const lately = await changesWithin(tx, customerId, row, maxAge)
  const read = totalIn(readResult)
  const state = stateFromEvidence({
    from,
    to,
    read,
    // A subscription with another id may be a different one: its equal total proves nothing about this change.
    wasMoved:
      seenQuantity !== null ||
      (readResult.kind === 'read' && isReplacement(vendor, row, readResult.observed)),
    age: lease.change.age,
    evidentMs: evidentAfterMs(vendor),
    isOrdered: change.pollRef !== null,
    hadBefore: lately.some(({ fromQuantity }) => fromQuantity === to),
  })
  if (state === 'UNKNOWN') {
    // The total before our latest change is stale data, and no evidence of another user.
    const isOld = lately.some(({ fromQuantity }) => fromQuantity === read)
    const isThird = typeof read === 'number' && read !== from && read !== to
    if (isThird && !isOld) await noteSeen(tx, customerId, changeId, read)
    return change
  }
  const vendorReason = state === 'APPLIED' ? undefined : explainState(state, vendor.label, { from, to, read })
  const moved = await moveChange(tx, customerId, changeId, {
    from: ['UNKNOWN'],
    to: state,
    vendorReason,
    requestId,
  })
  if (readResult.kind === 'read') {
    const { observed } = readResult
    await observe(tx, customerId, asset, { vendor, observed, requestId, confirmed: state === 'APPLIED' })
  }
  return moved
}

function totalIn(readResult: VendorRead): Evidence['read'] {
  if (readResult.kind === 'read') return readResult.observed.seats.purchased
  return readResult.kind === 'missing' ? 'hidden' : 'unanswered'
}

/** Returns the text for people about a change that no read has proven applied: the known facts, and the next step. */
function explainState(
  state: 'FAILED' | 'UNCLEAR',
  label: string,
  { from, to, read }: Pick<Evidence, 'from' | 'to' | 'read'>,
): string {
  if (state === 'FAILED') return `${label} shows ${count(from)} as before: it was not applied.`
  const readTexts = {
    hidden: 'it does not show us this subscription any more',
    unanswered: 'it did not answer when it was asked',
  }
  const what =
    typeof read === 'number'
      ? `it shows ${count(read)}, and someone else has changed it there too`
      : readTexts[read]
  return `We can’t tell whether the change to ${count(to)} reached ${label}: ${what}. Compare the total there with the one that you need, and set it again where it differs.`
}

const count = (total: number) => total.toLocaleString('en')

/** Evidence about a sent change after reading the vendor's count. Times in milliseconds. */
export type Evidence = {
  /** Total of the decision, and requested total. */
  from: number
  to: number
  /** Purchased total at the vendor; `hidden`: the vendor shows no such subscription. */
  read: number | 'hidden' | 'unanswered'
  /** Whether a read since the call has shown a third total: another user has moved the total. */
  wasMoved: boolean
  /** Since the record of the call. */
  age: number
  /** Until a read shows whether the vendor carried the write out. */
  evidentMs: number
  /**
   * Whether the vendor accepted an order and may still be working on it: only the vendor's own answer proves that the
   * order was not carried out.
   */
  isOrdered: boolean
  /** Whether the subscription had the requested total so recently that the read may be from that time. */
  hadBefore: boolean
}

/**
 * Time for which a change waits past its settle time for a vendor that does not answer, or that accepted an order: a
 * later answer may prove the outcome.
 */
export const LONGER_MS = 24 * 60 * 60 * 1000

/**
 * Returns the state that a read proves for a change whose answer was lost. A read of the requested total proves
 * `APPLIED`, unless the read may be an older one of an equal total. Only the previous total proves `NOT APPLIED`: once
 * no write can still be in flight, and only when no other user was seen to move the total. Any other total proves
 * nothing, now or later.
 */
export function stateFromEvidence({
  from,
  to,
  read,
  wasMoved,
  age,
  evidentMs,
  isOrdered,
  hadBefore,
}: Evidence): 'APPLIED' | 'FAILED' | 'UNCLEAR' | 'UNKNOWN' {
  if (read === to) return hadBefore ? 'UNKNOWN' : 'APPLIED'
  if (age <= evidentMs + (read === 'unanswered' || isOrdered ? LONGER_MS : 0)) return 'UNKNOWN'
  return read === from && !wasMoved && !isOrdered ? 'FAILED' : 'UNCLEAR'
}
