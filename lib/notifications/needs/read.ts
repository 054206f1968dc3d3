import 'server-only'
import { itemize } from '#lib/billing/invoices/itemization.ts'
import { readInvoice } from '#lib/billing/invoices/store.ts'
import { listPlans, type PlanRow, planOf } from '#lib/costs/idle-licenses/store.ts'
import { pricesFor } from '#lib/costs/license-prices/operations.ts'
import type { LastPrice } from '#lib/costs/license-prices/rules.ts'
import { listNewestLines, type NewestLine, readHidesPrices } from '#lib/costs/license-prices/store.ts'
import { checkSeats, type SeatCheckResult, type SeatHistory } from '#lib/costs/seat-check.ts'
import { selectSeatHistories } from '#lib/costs/seat-histories.ts'
import { type Caller, may } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { epochOfDay } from '#lib/platform/values/days.ts'
import { Exact } from '#lib/platform/values/decimals.ts'
import { extendedTermSettings } from '#lib/vendors/settings.ts'
import {
  type AssetPlan,
  CHECKED_DAYS,
  KINDS,
  type Need,
  type NeedKind,
  needsOf,
  sortNeeds,
  type UnmatchedLines,
  type WaitingChange,
} from './rules.ts'
import { type ChangeRow, listBusy, listDismissals, listPastDue, listWaiting, readNow } from './store.ts'

/** Reader of needs. Without `memberId`, nothing is dismissed. */
export type Who = Pick<Caller, 'customerId' | 'roles' | 'billingProfiles'> & { memberId?: string | undefined }

export type LoadedNeeds = {
  needs: Need[]
  /** Versions of the items that the member has dismissed, by name. */
  dismissed: ReadonlyMap<string, string>
  /** Kinds that were checked. */
  looked: NeedKind[]
  /** Earliest time at which the needs change although no row does, in epoch milliseconds; days of UTC are not counted. */
  validUntil: number
}

/** Permission that each kind requires. */
const SEEN_WITH = {
  'invoice-viewer': ['past-due', 'unmatched-lines'],
  'licenses-manager': ['change', 'renewal', 'idle', 'nearly-full'],
} as const satisfies Record<string, readonly NeedKind[]>

/**
 * Loads the needs that the reader's roles and billing profiles allow. Runs at most nine statements, and three per
 * platform with a recent newest invoice; each is bounded, however many rows the customer has.
 */
export async function readNeeds(tx: Transaction, who: Who): Promise<LoadedNeeds> {
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
  const isBusy = new Set(busy.map(({ id }) => id))
  const plans = rows.map((row) => toAssetPlan(row, prices.get(row.id), isBusy.has(row.id)))
  const needs = needsOf({
    ...{ ...time, ...extendedTermSettings() },
    ...{ pastDue, plans, changes: waiting.map(changeOf), unmatched },
  })
  const seen: readonly NeedKind[] = [
    ...(seesInvoices ? SEEN_WITH['invoice-viewer'] : []),
    ...(seesLicenses ? SEEN_WITH['licenses-manager'] : []),
  ]
  const ends = [
    ...rows.flatMap(({ commitmentEnd, historyUntil, trendUntil }) => [
      commitmentEnd,
      historyUntil,
      trendUntil,
    ]),
    ...waiting.map(({ until }) => until),
    ...busy.map(({ until }) => until),
  ]
  return {
    needs: sortNeeds(needs),
    dismissed,
    looked: KINDS.filter((kind) => seen.includes(kind)),
    validUntil: Math.min(...ends.filter((end) => end !== null && end > time.now).map(Number)),
  }
}

function toAssetPlan(row: PlanRow, price: LastPrice | undefined, isBusy: boolean): AssetPlan {
  const { id, name, type, commitmentEnd, renewalType, scheduledTotal, assignedThen, paceDays } = row
  const pastAssignment =
    assignedThen === null || paceDays === null ? null : { assigned: assignedThen, days: paceDays }
  const asset = { id, name, type }
  return { ...planOf(row), asset, price, commitmentEnd, renewalType, scheduledTotal, pastAssignment, isBusy }
}

function changeOf({
  id,
  assetId,
  name,
  type,
  state,
  isOpen,
  from,
  to,
  reason,
  at,
}: ChangeRow): WaitingChange {
  const outcome = isOpen ? 'confirming' : state === 'UNCLEAR' ? 'unclear' : 'refused'
  return { id, asset: { id: assetId, name, type }, outcome, from, to, reason, at }
}

type InvoiceReader = Pick<Caller, 'customerId' | 'roles' | 'billingProfiles'>

/**
 * Returns the lines of the newest invoices that bill other licenses than recorded, by the verdict on the invoice's
 * page. Most invoices have no such line: their lines are read once, without further reads.
 */
async function unmatchedLines(
  tx: Transaction,
  who: InvoiceReader,
  lines: readonly NewestLine[],
  mostDays: number,
): Promise<UnmatchedLines[]> {
  const unmatched: UnmatchedLines[] = []
  const recent = lines.filter(({ isHistory, age, type, platform }) => {
    return !isHistory && age <= mostDays && type === platform
  })
  for (const [key, invoiceLines] of Map.groupBy(recent, ({ invoiceKey }) => invoiceKey)) {
    const [first] = invoiceLines
    if (!first) continue
    const seats = await selectSeatHistories(tx, who, first.platform)
    // Only the quantity decides whether a line is explained: the amount is read for unexplained lines only.
    const quick = invoiceLines.map((line) => ({ ...line, amount: '0' }))
    if (unexplainedLines(quick, first, seats).length === 0) continue
    const invoice = await readInvoice(tx, who, key)
    if (!invoice) continue
    const { amounts } = itemize(invoice.invoice, invoice.lines)
    const whole = invoice.lines
      .map((line, index) => ({ ...line, amount: amounts[index] ?? '0' }))
      .filter(({ type }) => type === first.platform)
    const unexplained = unexplainedLines(whole, first, seats)
    const amount = unexplained.reduce((sum, { money }) => sum.plus(money), new Exact(0)).toFixed()
    const { invoiceId, number, invoiceDate: day, invoiceCurrency: currency } = first
    unmatched.push({ invoice: { id: invoiceId, number, day }, count: unexplained.length, amount, currency })
  }
  return unmatched
}

type Line = { description: string; details: string | null; qty: string; amount: string; currency: string }

/** Returns the unexplained lines in the invoice's own currency; amounts of other currencies are not added. */
function unexplainedLines(
  lines: readonly Line[],
  { invoiceDate, invoiceCurrency }: NewestLine,
  seats: readonly SeatHistory[],
) {
  return lines
    .filter(({ currency }) => currency === invoiceCurrency)
    .map(({ description, details, qty, amount, currency }) => {
      const detailsField = details === null ? {} : { Details: details }
      const line = { description, ...detailsField, qty: Number(qty), amount: Number(amount), currency }
      return checkSeats(line, epochOfDay(invoiceDate), seats)
    })
    .filter(
      (result): result is Extract<SeatCheckResult, { kind: 'unexplained' }> => result.kind === 'unexplained',
    )
}
