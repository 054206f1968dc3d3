import 'server-only'
import { listPlans, type PlanRow, planOf } from '#lib/costs/idle-licenses/store.ts'
import { pricesFor } from '#lib/costs/license-prices/operations.ts'
import type { LastPrice } from '#lib/costs/license-prices/rules.ts'
import { listNewestLines, readHidesPrices } from '#lib/costs/license-prices/store.ts'
import { isOpen } from '#lib/licenses/license-changes/rules.ts'
import { type Caller, may } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { listDismissals } from './dismissals.ts'
import { inOrder } from './line.ts'
import {
  CHECKED_DAYS,
  KINDS,
  type KnownPlan,
  type Need,
  type NeedKind,
  needsOf,
  type WaitingChange,
} from './rules.ts'
import { type ChangeRow, listBusy, listPastDue, listWaiting, readNow } from './store.ts'
import { unmatchedLines } from './unmatched.ts'

/** Who asks what needs them. Whoever is no member has put nothing aside. */
export type Who = Pick<Caller, 'customerId' | 'roles' | 'billingProfiles'> & { memberId?: string | undefined }

export type Found = {
  needs: Need[]
  /** What the member has put aside, by its name. */
  dismissed: ReadonlyMap<string, string>
  /** What was looked at. */
  looked: NeedKind[]
}

/** The kinds that somebody with the permission is told of. */
const SEEN_WITH = {
  'invoice-viewer': ['past-due', 'unmatched-lines'],
  'licenses-manager': ['change', 'renewal', 'idle', 'nearly-full'],
} as const satisfies Record<string, readonly NeedKind[]>

/**
 * What needs somebody, as far as their roles and billing profiles let them see it. At most nine statements, and three for
 * each platform whose newest invoice is recent: each is bounded, however many rows the customer has.
 */
export async function readNeeds(tx: Transaction, who: Who): Promise<Found> {
  const { customerId, memberId } = who
  const [seesInvoices, seesLicenses] = [may(who, 'invoice-viewer'), may(who, 'licenses-manager')]
  const when = <T>(is: boolean, read: () => Promise<T[]>) => (is ? read() : Promise.resolve([]))
  const [time, dismissed, pastDue, lines, hidesPrices, rows, waiting, busy] = await Promise.all([
    readNow(tx),
    memberId === undefined ? new Map<string, string>() : listDismissals(tx, { customerId, memberId }),
    when(seesInvoices, () => listPastDue(tx, who)),
    when(seesInvoices || seesLicenses, () => listNewestLines(tx, who)),
    seesLicenses && readHidesPrices(tx, customerId),
    when(seesLicenses, () => listPlans(tx, customerId, 'all')),
    when(seesLicenses, () => listWaiting(tx, customerId)),
    when(seesLicenses, () => listBusy(tx, customerId)),
  ])
  const unmatched = seesInvoices ? await unmatchedLines(tx, who, lines, CHECKED_DAYS) : []
  const prices = pricesFor(who, { hidesPrices, assets: rows, lines })
  const isBusy = new Set(busy)
  const plans = rows.map((row) => knownPlan(row, prices.get(row.id), isBusy.has(row.id)))
  const needs = needsOf({ ...time, pastDue, plans, changes: waiting.map(changeOf), unmatched })
  const seen: readonly NeedKind[] = [
    ...(seesInvoices ? SEEN_WITH['invoice-viewer'] : []),
    ...(seesLicenses ? SEEN_WITH['licenses-manager'] : []),
  ]
  return { needs: inOrder(needs), dismissed, looked: KINDS.filter((kind) => seen.includes(kind)) }
}

function knownPlan(row: PlanRow, price: LastPrice | undefined, isBusy: boolean): KnownPlan {
  const { id, name, type, commitmentEnd, renewalType, scheduledTotal, assignedThen, paceDays } = row
  const pace = assignedThen === null || paceDays === null ? null : { assigned: assignedThen, days: paceDays }
  const asset = { id, name, type }
  return { ...planOf(row), asset, price, commitmentEnd, renewalType, scheduledTotal, pace, isBusy }
}

function changeOf({ id, assetId, name, type, state, from, to, reason, at }: ChangeRow): WaitingChange {
  const outcome = isOpen(state) ? 'confirming' : state === 'UNCLEAR' ? 'unclear' : 'refused'
  return { id, asset: { id: assetId, name, type }, outcome, from, to, reason, at }
}
