import 'server-only'
import { lockLicensed } from '#lib/licenses/assets/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { log } from '#lib/platform/runtime/log.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import type { Observed, WriteAnswer } from '#lib/vendors/vendor.ts'
import { observe, refOf } from '../observe.ts'
import { readChange } from '../store/find.ts'
import { type Change, moveChange } from '../store/transitions.ts'
import { notePollRef } from '../store/turns.ts'
import { isStillAsked, type Turn } from './judge.ts'
import { wordOf } from './word.ts'

/** What a vendor says became of a write of ours; undefined where it can't be asked that. */
export async function lookUp({ vendor, row, change }: Turn): Promise<WriteAnswer | undefined> {
  const write = { changeId: change.id, pollRef: change.pollRef ?? undefined }
  return vendor.lookup?.(refOf(row), write, AbortSignal.timeout(vendorTimes().confirmMs))
}

/**
 * Settles an unknown change by what its vendor said became of the write.
 * @returns the change as it is now: unknown still where the vendor does not know either
 */
export async function settleByWord(
  tx: Transaction,
  customerId: CustomerId,
  turn: Turn,
  told: WriteAnswer,
  requestId: string,
): Promise<Change | undefined> {
  const { vendor, row } = turn
  const { id } = turn.change
  const asset = await lockLicensed(tx, customerId, row.id)
  const change = await readChange(tx, customerId, id)
  if (!isStillAsked(change, turn)) return change
  if ('reason' in told) {
    const { kind, reason } = told
    log().info({ requestId, changeId: id, vendor: vendor.name, kind, reason }, 'vendor was asked for a write')
  }
  if (told.kind === 'unknown') {
    if (told.pollRef !== undefined) await notePollRef(tx, customerId, id, told.pollRef)
    return change
  }
  const observed = told.kind === 'applied' ? withTotal(told.observed, change.toQuantity) : undefined
  const { state: to, ...reasons } = wordOf(
    observed ? { ...told, kind: 'applied', observed } : told,
    change.toQuantity,
    vendor.label,
  )
  const moved = await moveChange(tx, customerId, id, { from: ['UNKNOWN'], to, requestId, ...reasons })
  if (observed) await observe(tx, customerId, asset, { vendor, observed, requestId, confirmed: true })
  return moved
}

/**
 * The subscription as the write made it. It was done, whatever the vendor shows by now: another total is somebody else's
 * change after it, which the next read finds.
 */
function withTotal(observed: Observed, total: number): Observed {
  const { purchased, maximum } = observed.seats
  if (purchased === total) return observed
  const seats = { ...observed.seats, purchased: total, maximum: maximum === purchased ? total : maximum }
  return { ...observed, seats }
}
