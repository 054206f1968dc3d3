import 'server-only'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { streamScope } from '#lib/platform/db/scope.ts'
import { type Column, columnOf, type Table } from '#lib/platform/files/table.ts'
import { allPages, type Cursor } from '#lib/platform/lists/paging.ts'
import { addDays } from '#lib/platform/values/days.ts'
import { plainAmount } from '#lib/platform/values/money.ts'
import type { LinePostingRow, PostingRow } from '../posting/columns.ts'
import { type Itemization, itemize } from './itemization.ts'
import { isCreditNote, payableAmountOf, statusOfIssued } from './rules.ts'
import { findInvoices } from './search.ts'
import type { Owner, Selection } from './selection.ts'
import { type InvoiceSort, keyOf } from './sort.ts'
import type * as store from './store.ts'
import { countLines, listLines } from './store.ts'

type PostedInvoice = PostingRow & { currency: string }
type PostedLine = LinePostingRow & { currency: string }

const amountOf = (amount: string | null, currency: string) => amount && plainAmount(amount, currency)

/** Posting columns of an invoice; empty where a value is unknown. */
const INVOICE_POSTING: readonly Column<PostedInvoice>[] = [
  { name: 'typeCode', text: ({ typeCode }) => typeCode },
  { name: 'netAmount', amount: ({ netAmount, currency }) => amountOf(netAmount, currency) },
  { name: 'taxAmount', amount: ({ taxAmount, currency }) => amountOf(taxAmount, currency) },
  { name: 'purchaseOrder', text: ({ purchaseOrder }) => purchaseOrder },
  { name: 'buyerReference', text: ({ buyerReference }) => buyerReference },
  { name: 'costCenter', text: ({ costCenter }) => costCenter },
  { name: 'paymentTerms', text: ({ paymentTerms }) => paymentTerms },
  { name: 'sellerCountry', text: ({ sellerCountry }) => sellerCountry },
  { name: 'buyerCountry', text: ({ buyerCountry }) => buyerCountry },
]

/** Posting columns of a line. */
const LINE_POSTING: readonly Column<PostedLine>[] = [
  { name: 'lineNetAmount', amount: ({ netAmount, currency }) => amountOf(netAmount, currency) },
  { name: 'lineTaxCategory', text: ({ taxCategory }) => taxCategory },
  { name: 'lineTaxRate', number: ({ taxRate }) => taxRate },
  { name: 'lineTaxAmount', amount: ({ taxAmount, currency }) => amountOf(taxAmount, currency) },
  { name: 'linePeriodStart', day: ({ periodStart }) => periodStart },
  // As people write a period: with its last day. The wire's periodEnd is the day after it.
  { name: 'linePeriodLastDay', day: ({ periodEnd }) => periodEnd && addDays(periodEnd, -1) },
  { name: 'lineBillingAccount', text: ({ billingAccount }) => billingAccount },
  { name: 'lineSubAccount', text: ({ subAccount }) => subAccount },
  { name: 'lineUnit', text: ({ unit }) => unit },
  { name: 'linePurchaseOrder', text: ({ purchaseOrder }) => purchaseOrder },
  { name: 'lineCostCenter', text: ({ costCenter }) => costCenter },
  { name: 'lineDetailId', text: ({ detailId }) => detailId },
  { name: 'lineChargeCategory', text: ({ chargeCategory }) => chargeCategory },
  { name: 'linePaymentCurrency', text: ({ paymentCurrency }) => paymentCurrency },
  {
    name: 'linePaymentAmount',
    amount: ({ paymentAmount, paymentCurrency }) => amountOf(paymentAmount, paymentCurrency ?? ''),
  },
]

export type Selected = Selection & { orderBy?: InvoiceSort | undefined }
/** An invoice with all of its lines. */
export type InvoiceLines = { invoice: store.InvoiceRow; lines: store.LineItemRow[] }
type Line = store.LineItemRow & { amount: string; amountBasis: Itemization['amountBasis'] }
type LineRow = { invoice: store.InvoiceRow; line: Line }

/** Rows of one statement: so few that they are gone again soon, and keep no other request waiting. */
const MAX_ROWS = 250
/** More only where one invoice has more. */
const MAX_LINES = 1000

const COLUMNS: Column<store.InvoiceRow>[] = [
  { name: 'id', text: ({ wireId }) => wireId },
  { name: 'invoiceDate', day: ({ invoiceDate }) => invoiceDate },
  // Credit notes are not payable.
  { name: 'dueDate', day: (row) => (isCreditNote(row) ? null : row.dueDate) },
  { name: 'platform', text: ({ platform }) => platform },
  { name: 'status', text: (row) => statusOfIssued(row) ?? null },
  { name: 'currency', text: ({ currency }) => currency },
  { name: 'totalAmount', amount: (row) => plainAmount(row.totalAmount, row.currency) },
  { name: 'balanceAmount', amount: (row) => plainAmount(row.balanceAmount, row.currency) },
  { name: 'billingProfileId', text: ({ billingProfileId }) => billingProfileId },
  { name: 'issuer', text: ({ issuer }) => issuer },
]

/** Columns of later versions: appended, so that the positions of earlier ones stay. */
const APPENDED_COLUMNS: Column<store.InvoiceRow>[] = [
  { name: 'number', text: ({ number }) => number },
  { name: 'documentState', text: ({ documentState }) => documentState },
  { name: 'corrects', text: ({ corrects }) => corrects },
  { name: 'billingAccount', text: ({ billingAccount }) => billingAccount },
  { name: 'periodStart', day: ({ periodStart }) => periodStart },
  // As people write a period: with its last day. The wire's periodEnd is the day after it.
  { name: 'periodLastDay', day: ({ periodEnd }) => periodEnd && addDays(periodEnd, -1) },
  ...INVOICE_POSTING,
]

/** The balance is exact, and a credit note may be set off against it. */
const PAYABLE: Column<store.InvoiceRow> = {
  name: 'payableAmount',
  amount: (row) => plainAmount(payableAmountOf(row), row.currency),
}

const LINE_COLUMNS: Column<LineRow>[] = [
  ...COLUMNS.map(ofInvoice),
  { name: 'line', number: ({ line }) => line.position + 1 },
  { name: 'lineType', text: ({ line }) => line.type },
  { name: 'lineDescription', text: ({ line }) => line.description },
  { name: 'lineDetails', text: ({ line }) => line.details },
  { name: 'lineQty', number: ({ line }) => line.qty },
  { name: 'linePrice', amount: ({ line }) => line.price },
  { name: 'lineCurrency', text: ({ line }) => line.currency },
  { name: 'lineAmount', amount: ({ line }) => plainAmount(line.amount, line.currency) },
  ...APPENDED_COLUMNS.map(ofInvoice),
  ...LINE_POSTING.map(ofLine),
  { name: 'lineAmountBasis', text: ({ line }) => line.amountBasis ?? null },
  { name: 'lineUsedQuantity', number: ({ line }) => line.usedQuantity },
  { name: 'lineUsedUnit', text: ({ line }) => line.usedUnit },
  { name: 'lineSku', text: ({ line }) => line.sku },
]

/** All invoices that a selection holds at one moment, in their order: a row for each. */
export function invoicesTable(caller: Caller, selected: Selected): Table<store.InvoiceRow> {
  return {
    columns: [...COLUMNS, ...APPENDED_COLUMNS, PAYABLE],
    batches: streamScope(caller, (tx) => pages(tx, caller, selected)),
  }
}

/** Their lines: a row for each, with its invoice. */
export function linesTable(caller: Caller, selected: Selected): Table<LineRow> {
  return { columns: LINE_COLUMNS, batches: streamScope(caller, (tx) => linePages(tx, caller, selected)) }
}

function pages(tx: Transaction, owner: Owner, { orderBy, ...selection }: Selected) {
  const read = (cursor?: Cursor) => findInvoices(tx, owner, selection, { limit: MAX_ROWS, orderBy, cursor })
  return allPages(MAX_ROWS, read, (row) => keyOf(row, orderBy))
}

async function* linePages(tx: Transaction, owner: Owner, selected: Selected) {
  for await (const portion of invoicesWithLines(tx, owner, selected))
    yield portion.flatMap(({ invoice, lines }) => rowsOf(invoice, lines))
}

/** Yields the invoices of a selection with all of their lines, in portions that memory can contain. */
export async function* invoicesWithLines(
  tx: Transaction,
  owner: Owner,
  selected: Selected,
): AsyncGenerator<InvoiceLines[], void, undefined> {
  for await (const page of pages(tx, owner, selected)) {
    const counts = await countLines(
      tx,
      owner,
      page.map(({ id }) => id),
    )
    for (const invoices of inPortions(page, ({ id }) => counts.get(id) ?? 0)) {
      const lines = await listLines(
        tx,
        owner,
        invoices.map(({ id }) => id),
      )
      const linesByInvoice = Map.groupBy(lines, ({ invoiceId }) => invoiceId)
      yield invoices.map((invoice) => ({ invoice, lines: linesByInvoice.get(invoice.id) ?? [] }))
    }
  }
}

function rowsOf(invoice: store.InvoiceRow, lines: store.LineItemRow[]): LineRow[] {
  const { amounts, amountBasis } = itemize(invoice, lines)
  return lines.map((line, index) => ({
    invoice,
    line: { ...line, amount: amounts[index] ?? '0', amountBasis },
  }))
}

/** Cuts a page so that the lines of a portion can be held; an invoice stays whole. */
function* inPortions<Row>(rows: readonly Row[], linesOf: (row: Row) => number): Generator<Row[]> {
  let portion: Row[] = []
  let size = 0
  for (const row of rows) {
    if (portion.length > 0 && size + linesOf(row) > MAX_LINES) {
      yield portion
      ;[portion, size] = [[], 0]
    }
    portion.push(row)
    size += linesOf(row)
  }
  if (portion.length > 0) yield portion
}

function ofInvoice(column: Column<store.InvoiceRow>): Column<LineRow> {
  return columnOf(column, ({ invoice }) => invoice)
}

function ofLine(column: Column<Line>): Column<LineRow> {
  return columnOf(column, ({ line }) => line)
}
