import 'server-only'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import {
  type LinePostingRow,
  linePostingColumns,
  type PostingRow,
  postingColumns,
} from '#lib/billing/posting/columns.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { type Values, value } from '#lib/platform/db/prepared-queries.ts'
import { today } from '#lib/platform/db/schema/columns.ts'
import { invoices, lineItems } from '#lib/platform/db/schema/invoices/invoices.ts'
import { type Cursor, pageByKey } from '#lib/platform/lists/paging.ts'
import type { DocumentForm, DocumentState } from './rules.ts'
import {
  type Days,
  type Owner,
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
type SelectedFields = Record<string, PgColumn | SQL | SQL.Aliased>
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
export const listInvoiceSummaries = pageQuery<InvoiceSummaryRow[]>((tx, owner, conditions, page) =>
  selectWhere(tx, owner, conditions, { columns: summaryColumns, ...page }),
)

/**
 * Returns whether an index has the rows of a selection in their sequence: of all invoices by any sort, of one platform by
 * date.
 */
export function followsIndex({ filter, ...selection }: Selection, orderBy?: InvoiceSort): boolean {
  if (Object.values(selection).some((one) => one !== undefined)) return false
  const values = Object.values(filter ?? {}).flat()
  const isOfPlatform = values.length === 1 && filter?.platform?.length === 1
  return values.length === 0 || (isOfPlatform && keysetOf(orderBy).by === 'invoiceDate')
}

/** Largest number of queries of one kind that are built once: others are built for each request. */
const MAX_SHAPES = 100

/** Values of a query that are neither the owner's nor the selection's, by name. */
type OtherValues = { values: Values }

/**
 * Builds the query of a page.
 * @param conditions those that the owner's are added to
 */
type BuildPage = (
  tx: Transaction,
  owner: Owner,
  conditions: readonly (SQL | undefined)[],
  page: Page & OtherValues,
) => PromiseLike<unknown> & { prepare(name: string): unknown }

/**
 * Returns a query for pages, which is built once for each sort, direction and shape of the selection: these are the most
 * frequent calls.
 */
export function pageQuery<Result>(build: BuildPage) {
  const queries = new Map<string, ReturnType<typeof preparedForOwner<Result>>>()
  return (
    tx: Transaction,
    owner: Owner,
    selection: Selection,
    { values = {}, ...page }: Page & Partial<OtherValues>,
  ): Promise<Result> => {
    const { limit, orderBy, cursor } = page
    const selectionShape = shapeOf(selection)
    const shape = `${orderBy} ${cursor?.direction} ${selectionShape?.shape}`
    const isPrepared = queries.size < MAX_SHAPES || queries.has(shape) || followsIndex(selection, orderBy)
    if (!selectionShape || !isPrepared)
      return build(tx, owner, selected(selection), { ...page, values }) as unknown as Promise<Result>
    const run = queries.get(shape) ?? preparedPage<Result>(build, { ...page, values }, selectionShape)
    queries.set(shape, run)
    const key = Object.fromEntries((cursor?.key ?? []).map((part, index) => [`key${index}`, part]))
    return run(tx, owner, { ...values, ...key, ...selectionShape.values, limit })
  }
}

function preparedPage<Result>(
  build: BuildPage,
  { orderBy, cursor: firstCursor, values: firstValues }: Page & OtherValues,
  selectionShape: SelectionShape,
) {
  const cursor = firstCursor && {
    ...firstCursor,
    key: firstCursor.key.map((_, index) => value<string>(`key${index}`)),
  }
  const values = Object.fromEntries(Object.keys(firstValues).map((name) => [name, value(name)]))
  const page = { limit: value<number>('limit'), orderBy, cursor, values }
  return preparedForOwner<Result>((tx, owner) => build(tx, owner, selectionShape.conditions(), page))
}

function selectInvoices(
  tx: Transaction,
  owner: Owner,
  selection: Selection,
  { days, where, ...page }: Page & Among & { columns: SelectedFields },
) {
  return selectWhere(tx, owner, [...selected(selection, days), where], page)
}

/** Selects the rows of a page, in reading direction. */
export function selectWhere(
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
