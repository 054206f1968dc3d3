import 'server-only'
import { and, eq } from 'drizzle-orm'
import { decideBy } from '#lib/licenses/assets/rules.ts'
import { type LicensedRow, setObserved } from '#lib/licenses/assets/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { renewalOrders } from '#lib/platform/db/schema/renewals.ts'
import type { Actor } from '#lib/platform/history/audit.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { epochOfDay } from '#lib/platform/values/days.ts'
import { builtIn } from '#lib/vendors/built-in.ts'
import { vendorInfo } from '#lib/vendors/declarations.ts'
import type { Observed } from '#lib/vendors/vendor.ts'
import { renewalOrderRoutes } from '../routes.ts'
import {
  END_ACTIONS,
  endActionOf,
  isSameSetting,
  nextTermEnd,
  type RenewalFacts,
  type Setting,
  shownSetting,
  whatBegan,
  whyNoOrder,
} from './rules.ts'
import { type OrderRow, ordererOf } from './store.ts'

// The terms of assets. Every writer here has locked the asset's row before.

/** Returns whether a vendor takes a total for the next term of a plan, or ways to renew. */
export function takesTotal({ vendor, planName }: Pick<LicensedRow, 'vendor' | 'planName'>): boolean {
  return vendorInfo(vendor).nextTerm(planName) === 'total'
}

/** Returns our copy of the vendor's setting for the next term. */
export function settingOf(row: LicensedRow): Setting {
  return shownSetting(takesTotal(row), row)
}

/** Returns whether the vendor shows an active order for the asset's seat version; our own books always have it. */
export function isPlaced(order: OrderRow, row: LicensedRow): boolean {
  if (order.state !== 'STANDING') return false
  if (order.vendorSubscriptionId === null) return true
  const wanted = { quantity: order.toQuantity, renewalType: order.renewalType }
  return order.placedAt !== null && isCurrent(order, row) && isSameSetting(wanted, settingOf(row))
}

/** Returns whether no change of the licenses can have deleted the order at its vendor since the order was placed. */
export function isCurrent({ placedVersion }: OrderRow, row: LicensedRow): boolean {
  return placedVersion === row.seatVersion || !takesTotal(row)
}

/** Returns the term that is known of an asset, in epoch milliseconds. */
export function termOf({ isCommitmentPlan, commitmentStart, commitmentEnd }: Term) {
  const times = { commitmentStart: commitmentStart?.getTime(), commitmentEnd: commitmentEnd?.getTime() }
  return { isCommitmentPlan, ...times }
}

type Term = Pick<LicensedRow, 'isCommitmentPlan' | 'commitmentStart' | 'commitmentEnd'>

/** Returns an asset's facts for the rule. */
export function factsOf(row: LicensedRow, active: OrderRow | undefined): RenewalFacts {
  const { vendor, planName, status, isCommitmentPlan, renewalType } = row
  const info = vendorInfo(vendor)
  return {
    status,
    isCommitmentPlan,
    commitmentEnd: row.commitmentEnd?.getTime(),
    renewalType: renewalType ?? undefined,
    choice: info.nextTerm(planName),
    endActions: info.endActions,
    hasOrder: active !== undefined,
    hasNextTerm: vendor !== builtIn.name || nextTermOf(row) !== undefined,
  }
}

/** Returns where and until when the next term can be ordered, or undefined if its vendor takes no order. */
export function nextTermLink(row: LicensedRow): { url: string; decideBy: number } | undefined {
  const facts = factsOf(row, undefined)
  if (facts.commitmentEnd === undefined || whyNoOrder(facts, Date.now())) return undefined
  const path = renewalOrderRoutes.orderRenewal.path.replace('{asset_id}', encodeURIComponent(row.id))
  return { url: env().baseUrl + path, decideBy: epochOfDay(decideBy(facts.commitmentEnd)) }
}

/** Returns start and end of the next term, in our own books; undefined where its length is not known. */
export function nextTermOf({ commitmentStart, commitmentEnd, planName }: Term & { planName: string }) {
  if (!commitmentEnd) return undefined
  const term = { start: commitmentStart?.getTime(), end: commitmentEnd.getTime(), planName }
  const end = nextTermEnd(term)
  return end === undefined ? undefined : { commitmentStart: commitmentEnd, commitmentEnd: new Date(end) }
}

/** Writes the total of the next term in our own books, or that nothing is ordered. */
export async function setScheduled(
  tx: Transaction,
  customerId: CustomerId,
  assetId: string,
  scheduled?: { total: number; at: Date },
): Promise<void> {
  const values = { scheduledTotal: scheduled?.total ?? null, scheduledAt: scheduled?.at ?? null }
  await setObserved(tx, customerId, assetId, { values, moves: false })
}

/**
 * Notes the successor of a term that a vendor shows, where the asset has an active order: the first read counts, whatever
 * is bought later. The response to a change of the licenses (`confirmed`) does not show with how many the term began. The
 * asset's row is locked and still contains the values before the read.
 * @returns the orderer, where that began as ordered, and the ordered total
 */
export async function noteTermStart(
  tx: Transaction,
  customerId: CustomerId,
  row: LicensedRow,
  { observed, confirmed }: { observed: Observed; confirmed: boolean },
): Promise<{ actor: Actor; requestId: string; total: number | null } | undefined> {
  const { customerId: customer, assetId, state } = renewalOrders
  const isActive = and(eq(customer, customerId), eq(assetId, row.id), eq(state, 'STANDING'))
  const [order] = await tx.select().from(renewalOrders).where(isActive)
  if (!order || order.beganAt || order.vendorSubscriptionId !== row.vendorSubscriptionId) return undefined
  const termEnd = order.termEnd.getTime()
  const { endActions } = vendorInfo(row.vendor)
  const after = { ...termOf(observed), status: observed.status }
  const what = whatBegan({ ...order, termEnd, endActions }, after, Date.now())
  if (!what) return undefined
  const purchased = confirmed ? null : observed.seats.purchased
  // The type that a vendor shows of a new term is about its end.
  const next = endActionOf(observed.renewalType) ? null : observed.renewalType
  const beganType = what === 'term' ? next : END_ACTIONS[what]
  const beganPlaced = isPlaced(order, row)
  const began = { beganAt: new Date(), beganQuantity: purchased, beganType, beganPlaced }
  await tx
    .update(renewalOrders)
    .set({ ...began, nextLookAt: began.beganAt })
    .where(and(isActive, eq(renewalOrders.id, order.id)))
  const isOrdered =
    what === 'term' ? purchased !== null && order.toQuantity === purchased : order.renewalType === beganType
  if (!beganPlaced || order.takenBackAt || !isOrdered) return undefined
  return { actor: ordererOf(order), requestId: order.requestId, total: order.toQuantity }
}
