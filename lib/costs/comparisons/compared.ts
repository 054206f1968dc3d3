import 'server-only'
import { and, desc, eq, gte, inArray, lt, or, type SQL, sql } from 'drizzle-orm'
import type { Invoice } from '#lib/billing/invoices/contract.ts'
import { issued, type Owner, visibleTo } from '#lib/billing/invoices/selection.ts'
import { type InvoiceRow, readInvoice, readInvoiceRow } from '#lib/billing/invoices/store.ts'
import { findKey, wireId } from '#lib/billing/invoices/wire-ids.ts'
import { isLicensed } from '#lib/costs/causes/licensed-assets.ts'
import { seatChangesAround } from '#lib/costs/seat-changes.ts'
import { checkPermission } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { invoices, lineItems } from '#lib/platform/db/schema/invoices/invoices.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { epochOfDay } from '#lib/platform/values/days.ts'
import { causesOfInvoices, type InvoiceCause } from './causes.ts'
import { type Comparison, compareInvoices, incomparable } from './comparison.ts'

export type ComparedInvoices = {
  from: InvoiceRow
  to: InvoiceRow
  comparison: Comparison
  causes: InvoiceCause[]
}

/**
 * Reads two invoices from one snapshot and compares them.
 * @throws Problem `not_found`, or `not_comparable` where platform or currency differ
 */
export async function readComparison(
  caller: Owner & Pick<Caller, 'roles'>,
  ids: { from: string; to: string },
) {
  const { from, to, assets } = await readScope(caller, async (tx) => {
    const read = async (id: string) => {
      const key = await findKey(tx, caller, id)
      return key === undefined ? undefined : readInvoice(tx, caller, key)
    }
    const [from, to] = await Promise.all([read(ids.from), read(ids.to)])
    const sides = [from, to].filter((side) => side !== undefined)
    const sellsLicenses = sides.some(({ lines }) => lines.some(({ type }) => isLicensed(type)))
    const days = sides.map(({ invoice }) => invoice.invoiceDate)
    return { from, to, assets: sellsLicenses ? await seatChangesAround(tx, caller, days) : [] }
  })
  if (!from || !to) throw new Problem('not_found')
  const why = incomparable(from.invoice, to.invoice)
  if (why) throw notComparable(why, from.invoice, to.invoice)
  const side = ({ invoice, lines }: typeof from) => ({ ...invoice, lines })
  const comparison = compareInvoices(side(from), side(to))
  const causes = causesOfInvoices(from, to, comparison, assets)
  return { from: from.invoice, to: to.invoice, comparison, causes } satisfies ComparedInvoices
}

function notComparable(why: 'platform' | 'currency', from: InvoiceRow, to: InvoiceRow): Problem {
  const only = why === 'platform' ? 'of one platform' : 'in one currency'
  const detail = `Only invoices ${only} can be compared: ${from.wireId} is ${from[why]}, ${to.wireId} is ${to[why]}.`
  const errors = ['from', 'to'].map((parameter) => ({ parameter, detail: `must be ${only}` }))
  return new Problem('not_comparable', detail, { errors })
}

/** Most invoices to choose from. */
const MAX_CHOICES = 250

/** Short form of an invoice in answers. */
export type Choice = Pick<Invoice, 'id' | 'number' | 'issuer' | 'invoiceDate' | 'totalAmount' | 'currency'>

/**
 * Returns the newest issued invoices that an invoice can be compared with, including itself in any state; none where
 * the caller can't see it.
 */
export async function comparableInvoices(caller: Caller, id: string): Promise<Choice[]> {
  checkPermission(caller, 'invoice-viewer')
  return readScope(
    caller,
    async (tx) => {
      const key = await findKey(tx, caller, id)
      const one = key === undefined ? undefined : await readInvoiceRow(tx, caller, key)
      if (!one) return []
      const alike = [eq(invoices.platform, one.platform), eq(invoices.currency, one.currency)]
      return choices(tx, caller, or(issued, eq(invoices.id, one.id)), ...alike)
    },
    { mayBeOld: true },
  )
}

/** Returns the newest issued invoices, as choices for a comparison. */
export async function newestInvoices(caller: Caller): Promise<Choice[]> {
  checkPermission(caller, 'invoice-viewer')
  return readScope(caller, (tx) => choices(tx, caller, issued), { mayBeOld: true })
}

async function choices(tx: Transaction, owner: Owner, ...which: (SQL | undefined)[]): Promise<Choice[]> {
  const { id, number, issuer, invoiceDate, totalAmount, currency } = invoices
  const rows = await tx
    .select({ id: wireId, number, issuer, invoiceDate, totalAmount, currency })
    .from(invoices)
    .where(and(...visibleTo(owner), ...which))
    .orderBy(desc(invoiceDate), desc(id))
    .limit(MAX_CHOICES)
  return rows.map((row) => ({
    ...row,
    invoiceDate: epochOfDay(row.invoiceDate),
    totalAmount: Number(row.totalAmount),
  }))
}

/** Most earlier invoices that are examined, and most lines of each: the first lines weigh most. */
const MAX_CANDIDATES = 12
const MAX_LINES = 50

/**
 * Returns the id of the issued invoice before the given one: of an earlier day and the same platform, currency and
 * billing profile; a credit only before a credit. Where a month has several, one per account, returns the newest with
 * the most similar lines.
 */
export async function invoiceBefore(caller: Caller, id: string): Promise<string | undefined> {
  checkPermission(caller, 'invoice-viewer')
  return readScope(
    caller,
    async (tx) => {
      const key = await findKey(tx, caller, id)
      if (key === undefined) return undefined
      const candidates = await earlier(tx, caller, key)
      if (candidates.length < 2) return candidates[0]?.wireId
      const shared = await sharedLines(tx, caller, key, candidates)
      const countOf = (candidate: { id: string }) => shared.get(candidate.id) ?? 0
      const most = Math.max(...candidates.map(countOf))
      const alike = candidates.filter((candidate) => countOf(candidate) * 2 >= most)
      const newest = alike.filter(({ invoiceDate }) => invoiceDate === alike[0]?.invoiceDate)
      return newest.toSorted((a, b) => countOf(b) - countOf(a))[0]?.wireId
    },
    { mayBeOld: true },
  )
}

/** Returns the earlier invoices, newest first. */
async function earlier(tx: Transaction, owner: Owner, id: string) {
  const one = await readInvoiceRow(tx, owner, id)
  if (!one) return []
  const { billingProfileId, platform, currency, invoiceDate, totalAmount } = invoices
  const isCredit = one.totalAmount.startsWith('-')
  return tx
    .select({ id: invoices.id, wireId, invoiceDate })
    .from(invoices)
    .where(
      and(
        ...visibleTo(owner),
        issued,
        eq(billingProfileId, one.billingProfileId),
        eq(platform, one.platform),
        eq(currency, one.currency),
        lt(invoiceDate, one.invoiceDate),
        isCredit ? lt(totalAmount, '0') : gte(totalAmount, '0'),
      ),
    )
    .orderBy(desc(invoiceDate), desc(invoices.id))
    .limit(MAX_CANDIDATES)
}

/** Returns the number of lines per candidate that bill an item of the invoice as well. */
async function sharedLines(tx: Transaction, { customerId }: Owner, id: string, candidates: { id: string }[]) {
  const linesOf = (ids: string[]) => [
    eq(lineItems.customerId, customerId),
    inArray(lineItems.invoiceId, ids),
    lt(lineItems.position, MAX_LINES),
  ]
  const { invoiceId, type, description } = lineItems
  const products = tx
    .select({ type, description })
    .from(lineItems)
    .where(and(...linesOf([id])))
  const rows = await tx
    .select({ invoiceId, count: sql<number>`count(*)::int` })
    .from(lineItems)
    .where(and(...linesOf(candidates.map((each) => each.id)), sql`(${type}, ${description}) IN ${products}`))
    .groupBy(invoiceId)
  return new Map(rows.map((row) => [row.invoiceId, row.count]))
}
