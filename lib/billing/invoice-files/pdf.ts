import 'server-only'
import { createHash } from 'node:crypto'
import type Big from 'big.js'
import { type Itemization, itemize } from '#lib/billing/invoices/itemization.ts'
import { isConsistent, type TaxSums, taxOf } from '#lib/billing/posting/tax.ts'
import { lineFacts, taxLabel } from '#lib/billing/posting/words.ts'
import { drawPair, drawWrapped } from '#lib/platform/pdf/block.ts'
import {
  element,
  ensureRoom,
  finishPaper,
  openPaper,
  PAGE,
  type Paper,
  rule,
  type Style,
} from '#lib/platform/pdf/paper.ts'
import { type Cell, columnWidth, drawTable, remainingWidth } from '#lib/platform/pdf/table.ts'
import { epochOfDay } from '#lib/platform/values/days.ts'
import { Exact } from '#lib/platform/values/decimals.ts'
import { formatAmount, formatDecimal, minorUnit, moneyText } from '#lib/platform/values/money.ts'
import { type DrawnLine, type InvoiceDocument, isOfSeller, kindOf, MOST_PRINTED } from './document.ts'
import { drawParties, drawTop } from './parties.ts'
import { drawTerms, drawVerdict } from './terms.ts'

/** Who made what no seller issued. */
const OURSELVES = 'Licenses & Invoices'

/**
 * An invoice as a PDF file: PDF/A-2a in its form, with nothing that acts. The same document gives the same bytes, on
 * whatever day; once it is issued they are kept, so that another layout changes none of before.
 */
export async function drawInvoice(document: InvoiceDocument, lines: DrawnLine[]): Promise<Uint8Array> {
  const { number, seller, invoiceDate } = document
  const [title, isSellers] = [`${kindOf(document)} ${number}`, isOfSeller(document)]
  const paper = openPaper({
    title,
    author: isSellers ? seller.name : OURSELVES,
    date: new Date(epochOfDay(invoiceDate)),
    id: digestOf(document, lines),
  })
  const itemization = itemize(document, lines)
  const tax = taxOf(document, lines)
  drawTop(paper, document)
  drawParties(paper, document)
  await drawLines(paper, lines, itemization, document)
  drawSums(paper, itemization, document, tax)
  drawVerdict(paper, itemization, document, tax)
  drawTerms(paper, document)
  return finishPaper(paper, `${title} · ${isSellers ? '' : 'Charges of '}${seller.name}`)
}

/** Names the content, so that two files with the same name and another content can be told apart. */
function digestOf(document: InvoiceDocument, lines: DrawnLine[]): Buffer {
  const content = JSON.stringify([document, lines])
  return createHash('sha256').update(content).digest().subarray(0, 16)
}

const PRICE_HEADS = { unit: 'Price per unit', line: 'Price per line' }

async function drawLines(
  paper: Paper,
  lines: DrawnLine[],
  { amounts, reading }: Itemization,
  document: InvoiceDocument,
): Promise<void> {
  const { currency } = document
  const rows = lines.slice(0, MOST_PRINTED).map((line, index) => {
    const foreign = line.currency === currency ? '' : ` ${line.currency}`
    return [
      { text: line.description, ...noteOf(line, document, amounts[index]) },
      { text: formatDecimal(line.qty) },
      { text: formatDecimal(line.price, minorUnit(line.currency)) },
      { text: formatAmount(amounts[index] ?? 0, line.currency) + foreign },
    ] satisfies Cell[]
  })
  const heads = ['Qty', PRICE_HEADS[reading ?? 'unit'], `Amount (${currency})`]
  const numbers = heads.map((head, index) => {
    const texts = rows.map((row) => row[index + 1]?.text ?? '')
    return { head, align: 'right' as const, width: columnWidth(paper, head, texts, 115) }
  })
  const width = remainingWidth(numbers.map((column) => column.width))
  const columns = [{ head: 'Description', align: 'left' as const, width }, ...numbers]
  await drawTable(paper, columns, rows)
  const others = lines.slice(MOST_PRINTED)
  if (others.length === 0) return
  const own = others.flatMap((line, index) =>
    line.currency === currency ? [amounts[index + MOST_PRINTED] ?? 0] : [],
  )
  const sum = own.reduce<Big>((all, amount) => all.plus(amount), new Exact(0))
  const text = `${others.length.toLocaleString('en')} more line items, ${moneyText(sum.toFixed(), currency)} together, are not printed here. The CSV export of the line items has them.`
  paper.y += 8
  drawWrapped(paper, element(paper, paper.root, 'P'), text, PAGE.left, PAGE.right, VALUE)
}

/** What is said of a line under its description: its details, and what it is posted by. */
function noteOf(line: DrawnLine, document: InvoiceDocument, amount: string | undefined): { note?: string } {
  const parts = [...(line.details ? [line.details] : []), ...lineFacts(line, line.currency, document, amount)]
  return parts.length > 0 ? { note: parts.join(' · ') } : {}
}

/** Net, where the lines are not that already, and the tax by category and rate. */
function taxRows(taxed: TaxSums, lineItems: string, currency: string): string[][] {
  const { net, tax, breakdown } = taxed
  const isNet = new Exact(net).eq(lineItems)
  // Where the rows do not add up to the total, a note says why: one row is enough here.
  const groups = (isConsistent(taxed) ? breakdown : []).map(
    ({ category, rate, taxableAmount, taxAmount }) => [
      `${taxLabel(category, rate)} of ${formatAmount(taxableAmount, currency)}`,
      taxAmount,
    ],
  )
  return [...(isNet ? [] : [['Net', net]]), ...(groups.length > 0 ? groups : [['Tax', tax]])]
}

const VALUE: Style = { size: 9.5 }

/** Line items and total: kept together. */
function drawSums(
  paper: Paper,
  { lineItems, notItemized, reading }: Itemization,
  { currency, totalAmount }: InvoiceDocument,
  tax: TaxSums | undefined,
): void {
  const rows = [
    ['Line items', lineItems],
    ...(reading ? [] : [['Not itemized', notItemized]]),
    ...(tax ? taxRows(tax, lineItems, currency) : []),
  ]
  ensureRoom(paper, rows.length * 17 + 46)
  paper.y += 12
  const from = PAGE.left + 270
  for (const [label = '', amount = ''] of rows)
    drawPair(paper, from, label, formatAmount(amount, currency), VALUE)
  paper.y += 3
  rule(paper, paper.y, from)
  paper.y += 8
  drawPair(paper, from, 'Total', moneyText(totalAmount, currency), { size: 12, bold: true })
}
