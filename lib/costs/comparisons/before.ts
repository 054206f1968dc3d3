import 'server-only'
import { and, desc, eq, gte, inArray, lt, sql } from 'drizzle-orm'
import { issued, type Owner, owned } from '#lib/billing/invoices/selection.ts'
import { readHead } from '#lib/billing/invoices/store.ts'
import { checkPermission } from '#lib/platform/api/operation.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { invoices, lineItems } from '#lib/platform/db/schema/invoices/invoices.ts'
import { readScope } from '#lib/platform/db/scope.ts'

/** How many earlier invoices are looked at, and how many lines of each: the first ones weigh most. */
const MOST_CANDIDATES = 12
const MOST_LINES = 50

/**
 * The id of the issued invoice that came before one: of an earlier day, of the same platform, currency and billing
 * profile; a credit only before a credit. A month may have several, for one account each: then the newest that
 * bills much the same.
 */
export async function invoiceBefore(caller: Caller, id: string): Promise<string | undefined> {
  checkPermission(caller, 'invoice-viewer')
  return readScope(
    caller,
    async (tx) => {
      const candidates = await earlier(tx, caller, id)
      if (candidates.length < 2) return candidates[0]?.id
      const shared = await sharedLines(tx, caller, id, candidates)
      const countOf = (candidate: { id: string }) => shared.get(candidate.id) ?? 0
      const most = Math.max(...candidates.map(countOf))
      const alike = candidates.filter((candidate) => countOf(candidate) * 2 >= most)
      const newest = alike.filter(({ invoiceDate }) => invoiceDate === alike[0]?.invoiceDate)
      return newest.toSorted((a, b) => countOf(b) - countOf(a))[0]?.id
    },
    { mayBeOld: true },
  )
}

/** Newest first. */
async function earlier(tx: Transaction, owner: Owner, id: string) {
  const one = await readHead(tx, owner, id)
  if (!one) return []
  const { billingProfileId, platform, currency, invoiceDate, totalAmount } = invoices
  const isCredit = one.totalAmount.startsWith('-')
  return tx
    .select({ id: invoices.id, invoiceDate })
    .from(invoices)
    .where(
      and(
        ...owned(owner),
        issued,
        eq(billingProfileId, one.billingProfileId),
        eq(platform, one.platform),
        eq(currency, one.currency),
        lt(invoiceDate, one.invoiceDate),
        isCredit ? lt(totalAmount, '0') : gte(totalAmount, '0'),
      ),
    )
    .orderBy(desc(invoiceDate), desc(invoices.id))
    .limit(MOST_CANDIDATES)
}

/** How many lines of each bill something that the invoice bills too. */
async function sharedLines(tx: Transaction, { customerId }: Owner, id: string, candidates: { id: string }[]) {
  const linesOf = (ids: string[]) => [
    eq(lineItems.customerId, customerId),
    inArray(lineItems.invoiceId, ids),
    lt(lineItems.position, MOST_LINES),
  ]
  const { invoiceId, type, description } = lineItems
  const own = tx
    .select({ type, description })
    .from(lineItems)
    .where(and(...linesOf([id])))
  const rows = await tx
    .select({ invoiceId, count: sql<number>`count(*)::int` })
    .from(lineItems)
    .where(and(...linesOf(candidates.map((each) => each.id)), sql`(${type}, ${description}) IN ${own}`))
    .groupBy(invoiceId)
  return new Map(rows.map((row) => [row.invoiceId, row.count]))
}
