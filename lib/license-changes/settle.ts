import 'server-only'
import type { CustomerId } from '#lib/access/rules.ts'
import { decideOutcome } from '#lib/assets/rules.ts'
import { changesWithin } from '#lib/assets/seat-history.ts'
import { type LicensedRow, lockLicensed } from '#lib/assets/store.ts'
import type { Transaction } from '#lib/db/client.ts'
import { scope } from '#lib/db/scope.ts'
import { env } from '#lib/env.ts'
import type { GuardedVendor } from '#lib/vendors/breaker.ts'
import type { Reading } from '#lib/vendors/vendor.ts'
import { vendorNamed } from '#lib/vendors/vendors.ts'
import { type Change, moveChange } from './license-change.ts'
import { observe } from './observe.ts'
import { readChange, takeTurn } from './open-change.ts'

/**
 * Learns what became of an open change, by reading and by nothing else: it never buys. One whose process died is
 * taken over when its lease has ended: a claim had sent nothing, a sent one is unknown.
 * @returns the change as it is now, open still where the vendor can't tell yet; undefined where it was withdrawn
 */
export async function settleChange(
  who: { customerId: CustomerId },
  changeId: string,
  requestId: string,
): Promise<Change | undefined> {
  const turn = await scope(who, (tx) => begin(tx, who.customerId, changeId, requestId))
  if (!turn || 'change' in turn) return turn?.change
  const { vendor, row } = turn
  const ref = { customerId: row.vendorCustomerId, subscriptionId: row.subscriptionId, skuId: row.skuId }
  const reading = await vendor.read(ref, AbortSignal.timeout(env().vendorTimes.confirmMs))
  return scope(who, (tx) => conclude(tx, who.customerId, changeId, { ...turn, reading, requestId }))
}

/** `age` of the change before the read: what is judged is as old as that. */
type Turn = { vendor: GuardedVendor; row: LicensedRow; age: number }

async function begin(
  tx: Transaction,
  customerId: CustomerId,
  changeId: string,
  requestId: string,
): Promise<Turn | { change: Change } | undefined> {
  const { leaseMs, checkMs } = env().vendorTimes
  const unlocked = await readChange(tx, customerId, changeId)
  if (!unlocked) return undefined
  const row = await lockLicensed(tx, customerId, unlocked.assetId)
  const change = await readChange(tx, customerId, changeId)
  const vendor = vendorNamed(row.vendor)
  if (!change || vendor.books === 'ours') return change && { change }
  if (change.state === 'CLAIMED' && change.age > leaseMs) {
    const vendorReason = 'Nothing was sent: the process that began it ended.'
    const move = { from: ['CLAIMED'], to: 'FAILED', vendorReason, requestId } as const
    return { change: (await moveChange(tx, customerId, changeId, move)) ?? change }
  }
  if (change.state === 'SENT' && change.age > leaseMs) {
    const vendorReason = 'The process that sent it ended before the answer.'
    await moveChange(tx, customerId, changeId, { from: ['SENT'], to: 'UNKNOWN', vendorReason, requestId })
  }
  return (await takeTurn(tx, customerId, changeId, checkMs)) ? { vendor, row, age: change.age } : { change }
}

async function conclude(
  tx: Transaction,
  customerId: CustomerId,
  changeId: string,
  { vendor, row, age: ageOfRecord, reading, requestId }: Turn & { reading: Reading; requestId: string },
): Promise<Change | undefined> {
  const asset = await lockLicensed(tx, customerId, row.id)
  const change = await readChange(tx, customerId, changeId)
  if (change?.state !== 'UNKNOWN') return change
  const { settleMs } = vendor
  // The call left after its record, within the time of a write; and it took no longer than that again.
  const age = ageOfRecord - 2 * env().vendorTimes.writeMs
  if (reading.kind === 'unavailable') return change
  if (reading.kind === 'missing') {
    if (age <= settleMs) return change
    const move = { from: ['UNKNOWN'], to: 'FAILED', vendorReason: reading.reason, requestId } as const
    return moveChange(tx, customerId, changeId, move)
  }
  const { observed } = reading
  const lately = await changesWithin(tx, customerId, row.id, env().vendorTimes.staleMs)
  const outcome = decideOutcome({
    to: change.toQuantity,
    read: observed.seats.purchased,
    age,
    settleMs,
    hadBefore: lately.some(({ fromQuantity }) => fromQuantity === change.toQuantity),
  })
  if (outcome === 'UNKNOWN') return change
  const vendorReason =
    outcome === 'FAILED' ? 'The vendor shows another total: it was not applied.' : undefined
  const moved = await moveChange(tx, customerId, changeId, {
    ...{ from: ['UNKNOWN'], to: outcome, vendorReason, requestId },
  })
  await observe(tx, customerId, asset, { vendor, observed, requestId, confirmed: outcome === 'APPLIED' })
  return moved
}
