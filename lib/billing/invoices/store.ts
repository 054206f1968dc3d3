import 'server-only'
import { and, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import {
  type LinePostingRow,
  linePostingColumns,
  type PostingRow,
  postingColumns,
} from '#lib/billing/posting/columns.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { value } from '#lib/platform/db/prepared-queries.ts'
import { today } from '#lib/platform/db/schema/columns.ts'
import { invoices, lineItems } from '#lib/platform/db/schema/invoices/invoices.ts'
import { type Cursor, pageByKey } from '#lib/platform/lists/paging.ts'
import type { DocumentForm, DocumentState, InvoiceSortKey } from './rules.ts'
import {
  type Days,
  issued,
  type Owner,
  payable,
  preparedForOwner,
  type Selection,
  type SelectionShape,
  selected,
  shapeOf,
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
/** Columns of a query, by the names of the row's members. */
type SelectedFields = Record<string, PgColumn | SQL>
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
  today: sql<string>`${today}::text`,
}
const json = (text: SQLWrapper) => sql`to_json(${text})::text`
const jsonDay = (day: SQLWrapper) => sql`((${day} - date '1970-01-01')::bigint * 86400000)::text`
const jsonNumber = (amount: SQLWrapper) => sql`${amount}::double precision::text`
const isDayOfJson = (day: SQLWrapper) => sql`${day} BETWEEN date '0001-01-01' AND date '9999-12-31'`
/** Whether PostgreSQL writes the float of an amount as JavaScript does: others have exponents in one of them. */
const isNumberOfJson = (amount: SQLWrapper) =>
  sql`(abs(${amount}) BETWEEN 0.0001 AND 99999999999999 OR ${amount} = 0)`

/**
 * Members of an invoice in a list, as `serializeInvoice` makes them, in JSON: between `id` and `url`. Null where
 * JavaScript writes a number or a day in another way.
 */
const members = sql<
  string | null
>`CASE WHEN ${isDayOfJson(invoices.invoiceDate)} AND ${isDayOfJson(invoices.dueDate)}
    AND ${isNumberOfJson(invoices.totalAmount)} AND ${isNumberOfJson(invoices.balanceAmount)}
    AND (${invoices.payableAmount} IS NULL OR ${isNumberOfJson(invoices.payableAmount)}) THEN
  ',"number":' || ${json(invoices.number)} || ',"issuer":' || ${json(invoices.issuer)}
  || ',"documentState":' || ${json(invoices.documentState)} || ',"billingProfileId":' || ${json(invoices.billingProfileId)}
  || ',"invoiceDate":' || ${jsonDay(invoices.invoiceDate)} || ',"platform":' || ${json(invoices.platform)}
  || ',"dueDate":' || ${jsonDay(invoices.dueDate)} || CASE WHEN NOT ${issued} THEN ''
    WHEN ${payable} <= 0 THEN ',"status":"PAID"'
    WHEN ${invoices.dueDate} < ${today} THEN ',"status":"PAST DUE"' ELSE ',"status":"OPEN"' END
  || ',"totalAmount":' || ${jsonNumber(invoices.totalAmount)} || ',"balanceAmount":' || ${jsonNumber(invoices.balanceAmount)}
  || CASE WHEN ${invoices.payableAmount} IS NULL THEN '' ELSE ',"payableAmount":' || ${jsonNumber(invoices.payableAmount)} END
  || ',"currency":' || ${json(invoices.currency)} END`

/** Columns of an invoice in a list that is sent as it is written. */
const writtenColumns = { id: invoices.id, wireId, members }

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
 * Returns rows of all billing profiles of the owner, in reading direction from the cursor on: sorted, or in reverse order
 * for a backward cursor. A search scans all rows: see `findInvoices`.
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
export function listInvoiceSummaries(
  tx: Transaction,
  owner: Owner,
  selection: Selection,
  page: Page,
): Promise<InvoiceSummaryRow[]> {
  return listPrepared(tx, owner, selection, { columns: summaryColumns, ...page })
}

/** Invoice of a list with most of its members in JSON, and the value that it is sorted by. */
export type WrittenInvoice = Record<InvoiceSortKey, string> & {
  id: string
  wireId: string
  members: string | null
}

/** Like `listInvoiceSummaries`, in JSON. */
export function listWrittenInvoices(
  tx: Transaction,
  owner: Owner,
  selection: Selection,
  page: Page,
): Promise<WrittenInvoice[]> {
  const { by } = keysetOf(page.orderBy)
  const columns = { ...writtenColumns, [by]: invoices[by] }
  return listPrepared(tx, owner, selection, { columns, ...page })
}

function listPrepared<Row>(
  tx: Transaction,
  owner: Owner,
  selection: Selection,
  page: Page & { columns: SelectedFields },
): Promise<Row[]> {
  const { limit, orderBy, cursor, columns } = page
  const selectionShape = shapeOf(selection)
  const shape = `${'members' in columns} ${orderBy} ${cursor?.direction} ${selectionShape?.shape}`
  const isPrepared = pages.size < MAX_SHAPES || pages.has(shape) || selectsAll(selection)
  if (!selectionShape || !isPrepared)
    return selectInvoices(tx, owner, selection, page) as unknown as Promise<Row[]>
  const run = pages.get(shape) ?? anyPage(page, selectionShape)
  pages.set(shape, run)
  const key = Object.fromEntries((cursor?.key ?? []).map((part, index) => [`key${index}`, part]))
  return run(tx, owner, { ...key, ...selectionShape.values, limit }) as Promise<Row[]>
}

/** Returns whether a selection has no conditions: then each sort follows an index. */
export function selectsAll(selection: Selection): boolean {
  return Object.values(selection).every((one) => one === undefined)
}

/** Prepared queries for pages, by sort, direction and shape of the selection: the most frequent calls. */
const pages = new Map<string, ReturnType<typeof anyPage>>()
/** Most of them: other shapes are built for each request. */
const MAX_SHAPES = 200

function anyPage(
  { columns, orderBy, cursor: firstCursor }: Page & { columns: SelectedFields },
  selectionShape: SelectionShape,
) {
  const cursor = firstCursor && {
    ...firstCursor,
    key: firstCursor.key.map((_, index) => value<string>(`key${index}`)),
  }
  const page = { columns, limit: value<number>('limit'), orderBy, cursor }
  return preparedForOwner<unknown[]>((tx, owner) => selectWhere(tx, owner, selectionShape.conditions(), page))
}

function selectInvoices(
  tx: Transaction,
  owner: Owner,
  selection: Selection,
  { days, where, ...page }: Page & Among & { columns: SelectedFields },
) {
  return selectWhere(tx, owner, [...selected(selection, days), where], page)
}

function selectWhere(
  tx: Transaction,
  owner: Owner,
  conditions: readonly (SQL | undefined)[],
  { columns, limit, orderBy, cursor }: Page & { columns: SelectedFields },
) {
  const keyset = keysetOf(orderBy)
  const { beyond, order } = pageByKey(keyset.columns, cursor, keyset.ascending)
  return tx
    .select(columns)
    .from(invoices)
    .where(and(...visibleTo(owner), ...conditions, beyond))
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
