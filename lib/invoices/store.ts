import 'server-only'
import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { Caller } from '#lib/access/rules.ts'
import type { Filter } from '#lib/api/filter.ts'
import type { Cursor } from '#lib/api/page-token.ts'
import type { Transaction } from '#lib/db/client.ts'
import { billingProfiles, invoices, lineItems } from '#lib/db/schema.ts'

/** Amounts are exact decimal text, dates `YYYY-MM-DD`; `today` is the database's day in UTC. */
export type InvoiceRow = {
  id: string
  billingProfileId: string
  platform: string
  issuer: string
  invoiceDate: string
  dueDate: string
  currency: string
  totalAmount: string
  balanceAmount: string
  today: string
}
export type LineItemRow = Omit<typeof lineItems.$inferSelect, 'customerId' | 'invoiceId'>

/** Whose invoices, and which of their billing profiles: every statement here names both. */
export type Owner = Pick<Caller, 'customerId' | 'billingProfiles'>

export type Selection = {
  filter?: Filter<'platform' | 'status' | 'dueDate'> | undefined
  /** Epoch milliseconds, both inclusive, applied to the invoice date. */
  minCreationTime?: number | undefined
  maxCreationTime?: number | undefined
  search?: string | undefined
}

const today = sql<string>`(now() AT TIME ZONE 'UTC')::date::text`
const columns = {
  id: invoices.id,
  billingProfileId: invoices.billingProfileId,
  platform: invoices.platform,
  issuer: invoices.issuer,
  invoiceDate: invoices.invoiceDate,
  dueDate: invoices.dueDate,
  currency: invoices.currency,
  totalAmount: invoices.totalAmount,
  balanceAmount: invoices.balanceAmount,
  today,
}

/** The sort key of a row, for page tokens. */
export function keyOf(row: Pick<InvoiceRow, 'invoiceDate' | 'id'>): string[] {
  return [row.invoiceDate, row.id]
}

/** Rows in reading direction from the cursor on: newest first, or oldest first when it leads back. */
export async function listInvoices(
  tx: Transaction,
  owner: Owner,
  selection: Selection,
  limit: number,
  cursor?: Cursor,
): Promise<InvoiceRow[]> {
  const back = cursor?.direction === 'newer'
  const key = sql`(${invoices.invoiceDate}, ${invoices.id})`
  const [day, id] = cursor?.key ?? []
  const beyond = cursor && sql`${key} ${back ? sql`>` : sql`<`} (${day}::date, ${id})`
  const direction = back ? sql`asc` : sql`desc`
  return tx
    .select(columns)
    .from(invoices)
    .where(and(...owned(owner), ...selected(selection), beyond))
    .orderBy(sql`${invoices.invoiceDate} ${direction}, ${invoices.id} ${direction}`)
    .limit(limit)
}

/** Count and exact sums of the selection, one row per currency. */
export async function sumInvoices(tx: Transaction, owner: Owner, selection: Selection) {
  return tx
    .select({
      currency: invoices.currency,
      count: sql<number>`count(*)::int`,
      totalAmount: sql<string>`sum(${invoices.totalAmount})`,
      balanceAmount: sql<string>`sum(${invoices.balanceAmount})`,
    })
    .from(invoices)
    .where(and(...owned(owner), ...selected(selection)))
    .groupBy(invoices.currency)
    .orderBy(sql`count(*) desc`, invoices.currency)
}

/** One invoice with who is billed, and its lines in their order. */
export async function readInvoice(tx: Transaction, owner: Owner, id: string) {
  const profile = and(
    eq(billingProfiles.customerId, invoices.customerId),
    eq(billingProfiles.id, invoices.billingProfileId),
  )
  const { name, address, taxId } = billingProfiles
  const [found, lines] = await Promise.all([
    tx
      .select({ ...columns, billedTo: { name, address, taxId } })
      .from(invoices)
      .innerJoin(billingProfiles, profile)
      .where(and(...owned(owner), eq(invoices.id, id))),
    tx
      .select(lineColumns)
      .from(lineItems)
      .where(and(eq(lineItems.customerId, owner.customerId), eq(lineItems.invoiceId, id)))
      .orderBy(lineItems.position),
  ])
  const invoice = found[0]
  return invoice && { invoice, lines: lines satisfies LineItemRow[] }
}

const lineColumns = {
  position: lineItems.position,
  type: lineItems.type,
  description: lineItems.description,
  price: lineItems.price,
  qty: lineItems.qty,
  currency: lineItems.currency,
  details: lineItems.details,
}

function owned({ customerId, billingProfiles: profiles }: Owner): SQL[] {
  return [eq(invoices.customerId, customerId), inArray(invoices.billingProfileId, [...profiles])]
}

function selected({ filter, minCreationTime, maxCreationTime, search }: Selection): SQL[] {
  const conditions: (SQL | undefined)[] = [
    filter?.platform && inArray(invoices.platform, filter.platform),
    filter?.status && (or(...filter.status.map(hasStatus)) ?? sql`false`),
    filter?.dueDate && inArray(invoices.dueDate, filter.dueDate.map(dayOf)),
    minCreationTime === undefined
      ? undefined
      : sql`${invoices.invoiceDate} >= ${dayAtOrAfter(minCreationTime)}`,
    maxCreationTime === undefined ? undefined : sql`${invoices.invoiceDate} <= ${dayOf(maxCreationTime)}`,
    search ? sql`starts_with(lower(${invoices.id}), lower(${search}))` : undefined,
  ]
  return conditions.filter((condition) => condition !== undefined)
}

/** The rule of `statusOf`, in SQL. */
function hasStatus(status: string): SQL {
  const { balanceAmount, dueDate } = invoices
  if (status === 'PAID') return sql`${balanceAmount} <= 0`
  if (status === 'PAST DUE') return sql`(${balanceAmount} > 0 AND ${dueDate} < ${today}::date)`
  if (status === 'OPEN') return sql`(${balanceAmount} > 0 AND ${dueDate} >= ${today}::date)`
  return sql`false`
}

const DAY = 86_400_000
// What both a JavaScript date and PostgreSQL can name.
const LAST = Date.UTC(9999, 11, 31)

/** The day in UTC that holds this time. */
function dayOf(epochMs: number | string): string {
  return new Date(Math.min(Number(epochMs), LAST)).toISOString().slice(0, 10)
}

/** The first day whose midnight is not before this time: an invoice stands at its day's midnight. */
function dayAtOrAfter(epochMs: number): string {
  return dayOf(Math.ceil(Math.min(epochMs, LAST) / DAY) * DAY)
}
