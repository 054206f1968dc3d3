import 'server-only'
import { type LicensedRow, setObserved } from '#lib/licenses/assets/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { builtIn } from '#lib/vendors/built-in.ts'
import { vendorInfo } from '#lib/vendors/declarations.ts'
import { isSameSetting, nextTermEnd, type RenewalFacts, type Setting, shownSetting } from './rules.ts'
import type { OrderRow } from './store.ts'

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
