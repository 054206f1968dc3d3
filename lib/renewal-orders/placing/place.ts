import 'server-only'
import { randomUUID } from 'node:crypto'
import type { CustomerId } from '#lib/access/rules.ts'
import { type LicensedRow, licensed, lockLicensed, readAsset } from '#lib/assets/store.ts'
import type { Transaction } from '#lib/db/client.ts'
import { readScope, scope } from '#lib/db/scope.ts'
import { env } from '#lib/env.ts'
import { observe } from '#lib/license-changes/observe.ts'
import { readOwn } from '#lib/license-changes/reading/read-own.ts'
import { findOpenChange } from '#lib/license-changes/store/find.ts'
import { log } from '#lib/log.ts'
import type { GuardedVendor } from '#lib/vendors/breaker.ts'
import type { NextTerm, Observed, Reading, WriteAnswer } from '#lib/vendors/vendor.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import { noteOrder, type OrderRow, settleOrder, standingOrder } from '../store.ts'
import { carryOut } from './carry-out.ts'
import { backoff, conclude, LONGEST_WAIT_MS, type Placed, type Step, withdrawer } from './conclude.ts'
import { nextStep } from './next-step.ts'

const NOTED: Placed = { kind: 'noted' }
const MINUTE_MS = 60_000

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
  if (vendor.books === 'ours') {
    await withOrder(who, named, (tx, order, asset) => carryOut(tx, who.customerId, { order, asset, vendor }))
    return NOTED
  }
  const reading = await readOwn(vendor, licensed(row), env().vendorTimes.readMs)
  const next = await withOrder(who, named, (tx, order, asset) =>
    afterReading(tx, { customerId: who.customerId, order, asset, vendor, reading, requestId }),
  )
  if (!next || reading.kind !== 'read') return NOTED
  const told = await tell(vendor, reading.observed, next)
  if ('reason' in told)
    log().warn(
      { requestId, orderId: named.id, vendor: vendor.name, account: vendor.account, reason: told.reason },
      'order for the next term',
    )
  const placed = await withOrder(who, named, (tx, order, asset) =>
    conclude(tx, { customerId: who.customerId, order, asset, vendor, next, told, requestId }),
  )
  return placed ?? NOTED
}

/** With the asset's row locked, if the order stands still. */
function withOrder<T>(
  who: Who,
  { id, assetId }: Named,
  fn: (tx: Transaction, order: OrderRow, asset: LicensedRow) => Promise<T>,
): Promise<T | undefined> {
  return scope(who, async (tx) => {
    const asset = await lockLicensed(tx, who.customerId, assetId)
    const order = await standingOrder(tx, who.customerId, id)
    return order && fn(tx, order, asset)
  })
}

/** @returns what is to be said to the vendor now; undefined where there is nothing to say */
async function afterReading(
  tx: Transaction,
  { customerId, order, asset, vendor, reading, requestId }: Step & { reading: Reading },
): Promise<NextTerm | undefined> {
  const wait = (reason: string, ms: number) =>
    noteOrder(tx, customerId, order.id, { reason, nextLookAt: new Date(Date.now() + ms) }).then(
      () => undefined,
    )
  if (reading.kind === 'unavailable') {
    const asked = Math.max((reading.retryAfter ?? 0) * 1000, backoff(order.tries))
    return wait(`${vendor.label} could not be asked.`, asked)
  }
  if (reading.kind === 'missing') return wait(reading.reason, LONGEST_WAIT_MS)
  if (await findOpenChange(tx, customerId, asset.id))
    return wait('A change of the licenses is under way.', MINUTE_MS)
  const fresh = await observe(tx, customerId, asset, { vendor, observed: reading.observed, requestId })
  const step = nextStep(order, {
    fresh,
    observed: reading.observed,
    vendor,
    staleMs: env().vendorTimes.staleMs,
  })
  if (step.kind === 'settle') {
    const vendorActor = { kind: 'vendor', id: vendor.name, name: vendor.label } as const
    const actor = step.state === 'WITHDRAWN' ? withdrawer(order) : vendorActor
    const { state, reason } = step
    await settleOrder(tx, customerId, order, state, { reason, actor, requestId })
    return undefined
  }
  if (step.kind === 'note') {
    await noteOrder(tx, customerId, order.id, step.note)
    return undefined
  }
  const tries = order.tries + 1
  const nextLookAt = new Date(Date.now() + backoff(tries))
  await noteOrder(tx, customerId, order.id, { ...step.note, tries, nextLookAt })
  return step.next
}

/** A process that was held up since the read says nothing: the next look reads again. */
async function tell(vendor: GuardedVendor, observed: Observed, next: NextTerm): Promise<WriteAnswer> {
  const signal = AbortSignal.timeout(env().vendorTimes.writeMs)
  const reason = `${vendor.label} takes no order for the next term.`
  return vendor.setNextTerm
    ? vendor.setNextTerm(observed, next, randomUUID(), signal)
    : { kind: 'not_sent', code: 'vendor_unavailable', reason }
}
