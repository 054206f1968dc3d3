import 'server-only'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import {
  type LinePostingRow,
  linePostingColumns,
  type PostingRow,
  postingColumns,
} from '#lib/billing/posting/columns.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { value } from '#lib/platform/db/prepared-queries.ts'
import { invoices, lineItems } from '#lib/platform/db/schema/invoices/invoices.ts'
import { type Cursor, pageByKey } from '#lib/platform/lists/keyset.ts'
import type { DocumentForm, DocumentState } from './rules.ts'
import {
  type Days,
  type Owner,
  preparedForOwner,
  type Selection,
  selected,
  today,
  visibleTo,
} from './selection.ts'
import { type InvoiceSort, keysetOf } from './sort.ts'
import { wireId } from './wire-ids.ts'

/** Amounts are exact decimal text, dates `YYYY-MM-DD`; a period's end is exclusive; `today` is the database's day in UTC. */
export type InvoiceRow = PostingRow & {
  /** The row's key. */
  id: string
  /** Its `id` on the wire. */
  wireId: string
  /** Number that the issuer assigned. */
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
  /** Payable amount, where it differs from the balance. */
  payableAmount: string | null
  billingAccount: string | null
  periodStart: string | null
  periodEnd: string | null
  /** The number of the same issuer's invoice that this one refers to. */
  corrects: string | null
  today: string
}
export type InvoiceSummaryRow = Pick<InvoiceRow, keyof typeof summaryColumns>
export type LineItemRow = Pick<typeof lineItems.$inferSelect, keyof typeof plainLine> & LinePostingRow

/** Columns of an invoice in a list. */
const summaryColumns = {
  id: invoices.id,
  wireId,
  number: invoices.number,
  // A check of the table holds both to these sets.
  documentState: sql<DocumentState>`${invoices.documentState}`,
  billingProfileId: invoices.billingProfileId,
  platform: invoices.platform,
  issuer: invoices.issuer,
  invoiceDate: invoices.invoiceDate,
  dueDate: invoices.dueDate,
  currency: invoices.currency,
  totalAmount: invoices.totalAmount,
  balanceAmount: invoices.balanceAmount,
  payableAmount: invoices.payableAmount,
  today,
}
/** Columns of a single invoice. */
export const invoiceColumns = {
  ...summaryColumns,
  form: sql<DocumentForm>`${invoices.form}`,
  billingAccount: invoices.billingAccount,
  periodStart: invoices.periodStart,
  periodEnd: invoices.periodEnd,
  corrects: invoices.corrects,
  ...postingColumns,
}

const invoiceRowQuery = preparedForOwner<InvoiceRow[]>((tx, owner) =>
  tx
    .select(invoiceColumns)
    .from(invoices)
    .where(and(...visibleTo(owner), eq(invoices.id, value('id')))),
)

/** Reads one invoice without its lines. */
export async function readInvoiceRow(
  tx: Transaction,
  owner: Owner,
  id: string,
): Promise<InvoiceRow | undefined> {
  return (await invoiceRowQuery(tx, owner, { id }))[0]
}

/** Reads one invoice with its lines, sorted by position. */
export async function readInvoice(
  tx: Transaction,
  owner: Owner,
  id: string,
): Promise<{ invoice: InvoiceRow; lines: LineItemRow[] } | undefined> {
  const [invoice, lines] = await Promise.all([readInvoiceRow(tx, owner, id), readLines(tx, owner, id)])
  return invoice && { invoice, lines }
}

const linesOf = preparedForOwner<LineItemRow[]>((tx, owner) => {
  const invoiceCondition = and(
    eq(invoices.customerId, lineItems.customerId),
    eq(invoices.id, lineItems.invoiceId),
    ...visibleTo(owner),
  )
  return tx
    .select(lineColumns)
    .from(lineItems)
    .innerJoin(invoices, invoiceCondition)
    .where(and(eq(lineItems.customerId, owner.customerId), eq(lineItems.invoiceId, value('id'))))
    .orderBy(lineItems.position)
})

/** Returns the lines of one invoice, sorted by position; an empty list if the invoice does not exist. */
export function readLines(tx: Transaction, owner: Owner, id: string): Promise<LineItemRow[]> {
  return linesOf(tx, owner, { id })
}

const plainLine = {
  position: lineItems.position,
  type: lineItems.type,
  description: lineItems.description,
  price: lineItems.price,
  qty: lineItems.qty,
  currency: lineItems.currency,
  details: lineItems.details,
}

/** Columns of a line. */
const lineColumns = { ...plainLine, ...linePostingColumns }

/** Page of a list: at most `limit` rows from the cursor on. */
export type Page = { limit: number; orderBy?: InvoiceSort | undefined; cursor?: Cursor | undefined }

/** Restricts a selection further: invoice dates other than the selection's, and a condition. */
type Among = { days?: Days | undefined; where?: SQL | undefined }

/**
 * Returns rows in reading direction from the cursor on: sorted, or in reverse order for a backward cursor. A search
 * scans all rows: see `findInvoices`.
 */
export async function listInvoices(
  tx: Transaction,
  owner: Owner,
  selection: Selection,
  page: Page & Among,
): Promise<InvoiceRow[]> {
  return (await selectInvoices(tx, owner, selection, { columns: invoiceColumns, ...page })) as InvoiceRow[]
}

/** Lists invoices with the columns of the list only, because no other query runs as often. */
export async function listInvoiceSummaries(
  tx: Transaction,
  owner: Owner,
  selection: Selection,
  page: Page,
): Promise<InvoiceSummaryRow[]> {
  if (!selectsAll(selection))
    return selectInvoices(tx, owner, selection, { columns: summaryColumns, ...page })
  const { limit, orderBy, cursor } = page
  const shape = `${orderBy} ${cursor?.direction}`
  const run = pages.get(shape) ?? anyPage(orderBy, cursor)
  pages.set(shape, run)
  const key = Object.fromEntries((cursor?.key ?? []).map((part, index) => [`key${index}`, part]))
  return run(tx, owner, { ...key, limit })
}

/** Returns whether a selection has no conditions: then each sort follows an index. */
export function selectsAll(selection: Selection): boolean {
  return Object.values(selection).every((one) => one === undefined)
}

/** Prepared queries for pages without conditions, by sort and direction: the most frequent calls. */
const pages = new Map<string, ReturnType<typeof anyPage>>()

function anyPage(orderBy: InvoiceSort | undefined, firstCursor: Cursor | undefined) {
  const cursor = firstCursor && {
    ...firstCursor,
    key: firstCursor.key.map((_, index) => value<string>(`key${index}`)),
  }
  const page = { columns: summaryColumns, limit: value<number>('limit'), orderBy, cursor }
  return preparedForOwner<InvoiceSummaryRow[]>((tx, owner) => selectInvoices(tx, owner, {}, page))
}

function selectInvoices(
  tx: Transaction,
  owner: Owner,
  selection: Selection,
  { columns, limit, orderBy, cursor, days, where }: Page & Among & { columns: typeof summaryColumns },
) {
  const keyset = keysetOf(orderBy)
  const { beyond, order } = pageByKey(keyset.columns, cursor, keyset.ascending)
  return tx
    .select(columns)
    .from(invoices)
    .where(and(...visibleTo(owner), ...selected(selection, days), where, beyond))
    .orderBy(order)
    .limit(limit)
}

/** Counts the lines of each of these invoices, all of which the caller may see. */
export async function countLines(tx: Transaction, { customerId }: Owner, ids: string[]) {
  const { invoiceId: id } = lineItems
  const rows = await tx
    .select({ id, count: sql<number>`count(*)::int` })
    .from(lineItems)
    .where(linesOfEach(customerId, ids))
    .groupBy(id)
  return new Map(rows.map((row) => [row.id, row.count]))
}

/** The lines of these invoices, which the caller has been shown to see; those of each in their order. */
export async function listLines(
  tx: Transaction,
  { customerId }: Owner,
  ids: string[],
): Promise<(LineItemRow & { invoiceId: string })[]> {
  const { invoiceId, position } = lineItems
  return tx
    .select({ invoiceId, ...lineColumns })
    .from(lineItems)
    .where(linesOfEach(customerId, ids))
    .orderBy(invoiceId, position)
}

// By index whatever the planner knows: of a customer who has just been imported it expects one row, and any join with
// invoices took minutes. One parameter, however many ids there are: the statement is planned once.
function linesOfEach(customerId: Owner['customerId'], ids: string[]) {
  return and(
    eq(lineItems.customerId, customerId),
    sql`${lineItems.invoiceId} = ANY(${sql.param(ids)}::text[])`,
  )
}
