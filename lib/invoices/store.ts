import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import { value } from '#lib/db/built.ts'
import type { Transaction } from '#lib/db/client.ts'
import { invoices, lineItems } from '#lib/db/schema/invoices.ts'
import { pageByKey } from '#lib/lists/keyset.ts'
import type { Cursor } from '#lib/lists/page-token.ts'
import { type InvoiceOrder, keysetOf } from './order.ts'
import { type Owner, owned, ownedOnce, selected, today } from './owned-and-selected.ts'
import type { DocumentForm, DocumentState } from './rules.ts'
import type { Selection } from './selection.ts'

/** Amounts are exact decimal text, dates `YYYY-MM-DD`; a period's end is exclusive; `today` is the database's day in UTC. */
export type InvoiceRow = {
  id: string
  /** As its issuer numbers it. */
  number: string
  documentState: DocumentState
  form: DocumentForm
  billingProfileId: string
  platform: string
  issuer: string
  invoiceDate: string
  dueDate: string
  currency: string
  totalAmount: string
  balanceAmount: string
  billingAccount: string | null
  periodStart: string | null
  periodEnd: string | null
  /** The number of the same issuer's invoice that this one refers to. */
  corrects: string | null
  today: string
}
export type LineItemRow = Omit<typeof lineItems.$inferSelect, 'customerId' | 'invoiceId'>

/** What is stored of an invoice. */
const storedInvoiceColumns = {
  id: invoices.id,
  number: invoices.number,
  // A check of the table holds both to these sets.
  documentState: sql<DocumentState>`${invoices.documentState}`,
  form: sql<DocumentForm>`${invoices.form}`,
  billingProfileId: invoices.billingProfileId,
  platform: invoices.platform,
  issuer: invoices.issuer,
  invoiceDate: invoices.invoiceDate,
  dueDate: invoices.dueDate,
  currency: invoices.currency,
  totalAmount: invoices.totalAmount,
  balanceAmount: invoices.balanceAmount,
  billingAccount: invoices.billingAccount,
  periodStart: invoices.periodStart,
  periodEnd: invoices.periodEnd,
  corrects: invoices.corrects,
}
/** What is read of an invoice. */
export const invoiceColumns = { ...storedInvoiceColumns, today }

type Page = { orderBy?: InvoiceOrder | undefined; cursor?: Cursor | undefined }

/** Rows in reading direction from the cursor on: in their order, or the other way round when it leads back. */
export function listInvoices(
  tx: Transaction,
  owner: Owner,
  selection: Selection,
  limit: number,
  { orderBy, cursor }: Page,
): Promise<InvoiceRow[]> {
  if (Object.values(selection).some((one) => one !== undefined))
    return selectInvoices(tx, owner, selection, limit, { orderBy, cursor })
  const shape = `${orderBy} ${cursor?.direction}`
  const run = pages.get(shape) ?? anyPage(orderBy, cursor)
  pages.set(shape, run)
  const key = Object.fromEntries((cursor?.key ?? []).map((part, index) => [`key${index}`, part]))
  return run(tx, owner, { ...key, limit })
}

/** The pages of all invoices, by their order and direction: most calls ask for no others. */
const pages = new Map<string, ReturnType<typeof anyPage>>()

function anyPage(orderBy: InvoiceOrder | undefined, given: Cursor | undefined) {
  const cursor = given && { ...given, key: given.key.map((_, index) => value<string>(`key${index}`)) }
  return ownedOnce<InvoiceRow[]>((tx, owner) =>
    selectInvoices(tx, owner, {}, value<number>('limit'), { orderBy, cursor }),
  )
}

function selectInvoices(tx: Transaction, owner: Owner, selection: Selection, limit: number, page: Page) {
  const { columns, ascending } = keysetOf(page.orderBy)
  const { beyond, order } = pageByKey(columns, page.cursor, ascending)
  return tx
    .select(invoiceColumns)
    .from(invoices)
    .where(and(...owned(owner), ...selected(selection), beyond))
    .orderBy(order)
    .limit(limit)
}

const headOf = ownedOnce<InvoiceRow[]>((tx, owner) =>
  tx
    .select(invoiceColumns)
    .from(invoices)
    .where(and(...owned(owner), eq(invoices.id, value('id')))),
)

/** One invoice without its lines. */
export async function readHead(tx: Transaction, owner: Owner, id: string): Promise<InvoiceRow | undefined> {
  return (await headOf(tx, owner, { id }))[0]
}

/** One invoice with its lines in their order. */
export async function readInvoice(
  tx: Transaction,
  owner: Owner,
  id: string,
): Promise<{ invoice: InvoiceRow; lines: LineItemRow[] } | undefined> {
  const [invoice, lines] = await Promise.all([readHead(tx, owner, id), readLines(tx, owner, id)])
  return invoice && { invoice, lines }
}

const linesOf = ownedOnce<LineItemRow[]>((tx, owner) => {
  const own = and(
    eq(invoices.customerId, lineItems.customerId),
    eq(invoices.id, lineItems.invoiceId),
    ...owned(owner),
  )
  return tx
    .select(lineColumns)
    .from(lineItems)
    .innerJoin(invoices, own)
    .where(and(eq(lineItems.customerId, owner.customerId), eq(lineItems.invoiceId, value('id'))))
    .orderBy(lineItems.position)
})

/** The lines of one invoice in their order; none where there is no such invoice. */
export function readLines(tx: Transaction, owner: Owner, id: string): Promise<LineItemRow[]> {
  return linesOf(tx, owner, { id })
}

/** What is read of a line. */
export const lineColumns = {
  position: lineItems.position,
  type: lineItems.type,
  description: lineItems.description,
  price: lineItems.price,
  qty: lineItems.qty,
  currency: lineItems.currency,
  details: lineItems.details,
}
