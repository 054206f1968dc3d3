import 'server-only'
import { randomUUID } from 'node:crypto'
import { type LicensedRow, licensed, lockLicensed, readAsset } from '#lib/licenses/assets/store.ts'
import { readSubscription } from '#lib/licenses/license-changes/vendor-sync/read.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { log } from '#lib/platform/runtime/log.ts'
import type { GuardedVendor } from '#lib/vendors/breaker.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import type { NextTerm, Observed, WriteAnswer } from '#lib/vendors/vendor.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import { type OrderRow, settleOrder, standingOrder } from '../store.ts'
import { afterReading } from './after-reading.ts'
import { carryOut } from './carry-out.ts'
import { conclude, type Placed } from './conclude.ts'

const NOTED: Placed = { kind: 'noted' }

type Who = { customerId: CustomerId }
type Named = { id: string; assetId: string }

/**
 * Does what is to be done now for an order that stands: in books of our own it is carried out when its term ends; at a
 * vendor it is looked for, and stated where it isn't shown. Each step is committed before the next one begins. A read
 * comes before each statement, and a statement says the same each time, so that one whose answer was lost may be made
 * again.
 */
export async function place(who: Who, named: Named, requestId: string): Promise<Placed> {
  const row = await readScope(who, (tx) => readAsset(tx, who.customerId, named.assetId))
  if (!row) return NOTED
  const vendor = vendorOf(row)
  if (vendor.systemOfRecord === 'ours') {
    await withOrder(who, named, (tx, order, asset) => carryOut(tx, who.customerId, { order, asset, vendor }))
    return NOTED
  }
  const known = licensed(row)
  const reading = await readSubscription(vendor, known, vendorTimes().readMs)
  const readAt = Date.now()
  const step = { customerId: who.customerId, vendor, requestId }
  const found = await withOrder(who, named, (tx, order, asset) =>
    isSameSubscription(known, asset) ? afterReading(tx, { ...step, order, asset, reading }) : NOTED,
  )
  if (found?.kind !== 'say') return found ?? NOTED
  if (reading.kind !== 'read') return NOTED
  const told = await tell(vendor, reading.observed, found.next, readAt)
  if ('reason' in told)
    log().warn(
      { requestId, orderId: named.id, vendor: vendor.name, account: vendor.account, reason: told.reason },
      'order for the next term',
    )
  const placed = await withOrder(who, named, (tx, order, asset) =>
    conclude(tx, { ...step, order, asset, said: found, told, isSame: isSameSubscription(known, asset) }),
  )
  return placed ?? NOTED
}

/** An import may have pointed the asset elsewhere since: then what was read is not its own. */
function isSameSubscription(read: LicensedRow, now: LicensedRow): boolean {
  const named = ({ vendor, vendorAccount, vendorCustomerId, subscriptionId }: LicensedRow) =>
    JSON.stringify([vendor, vendorAccount, vendorCustomerId, subscriptionId])
  return named(read) === named(now)
}

/** With the asset's row locked, if the order stands still, and the asset for the same subscription. */
function withOrder<T>(
  who: Who,
  { id, assetId }: Named,
  fn: (tx: Transaction, order: OrderRow, asset: LicensedRow) => Promise<T> | T,
): Promise<T | undefined> {
  const { customerId } = who
  return scope(who, async (tx) => {
    const asset = await lockLicensed(tx, customerId, assetId)
    const order = await standingOrder(tx, customerId, id)
    if (!order || order.vendorSubscriptionId === asset.vendorSubscriptionId)
      return order && fn(tx, order, asset)
    const actor = { kind: 'vendor', id: asset.vendor, name: 'The vendor' } as const
    const reason = 'The asset stands for another subscription now.'
    const state = order.takenBackAt ? 'WITHDRAWN' : 'LOST'
    await settleOrder(tx, customerId, order, state, { reason, actor, requestId: order.requestId })
    return undefined
  })
}

/** A process that was held up since the read says nothing: the next look reads again. */
async function tell(
  vendor: GuardedVendor,
  observed: Observed,
  next: NextTerm,
  readAt: number,
): Promise<WriteAnswer> {
  const { writeMs } = vendorTimes()
  const notSent = (reason: string) => ({ kind: 'not_sent', code: 'vendor_unavailable', reason }) as const
  if (Date.now() - readAt > writeMs) return notSent('The process was held up; nothing was sent.')
  if (!vendor.setNextTerm) return notSent(`${vendor.label} takes no order for the next term.`)
  return vendor.setNextTerm(observed, next, randomUUID(), AbortSignal.timeout(writeMs))
}
