import 'server-only'
import { createHash } from 'node:crypto'
import type Big from 'big.js'
import { epochOfDay } from '#lib/days.ts'
import { Exact } from '#lib/decimals.ts'
import { type Itemization, itemize } from '#lib/invoices/itemization.ts'
import type { LineItemRow } from '#lib/invoices/store.ts'
import { settlementOf } from '#lib/invoices/total-to-balance.ts'
import { formatAmount, formatDecimal, minorUnit, moneyText } from '#lib/money.ts'
import { drawPair, drawWrapped } from '#lib/pdf/block.ts'
import {
  element,
  ensureRoom,
  finishPaper,
  openPaper,
  PAGE,
  type Paper,
  rule,
  type Style,
} from '#lib/pdf/paper.ts'
import { type Cell, columnWidth, drawTable, remainingWidth } from '#lib/pdf/table.ts'
import { inTurn } from '#lib/pdf/turns.ts'
import { type BilledInvoice, drawParties, drawTop, kindOf } from './parties.ts'
import { drawPayment } from './payment.ts'

/**
 * An invoice as a PDF file: PDF/A-2a in its form, with nothing that acts. The same rows give the same bytes, on
 * whatever day: what depends on the day, such as being past due, is not in it.
 */
export function drawInvoice(invoice: BilledInvoice, lines: LineItemRow[]): Promise<Uint8Array> {
  return inTurn(() => draw(invoice, lines))
}

/** More are added up, and their sum is printed; they themselves are in the API's answers and in the CSV. */
export const MOST_PRINTED = 5000

async function draw(invoice: BilledInvoice, lines: LineItemRow[]): Promise<Uint8Array> {
  const kind = kindOf(invoice)
  const paper = openPaper({
    title: `${kind} ${invoice.id}`,
    author: invoice.issuer,
    date: new Date(epochOfDay(invoice.invoiceDate)),
    id: digestOf(invoice, lines),
  })
  const itemization = itemize(invoice, lines)
  drawTop(paper, kind, invoice)
  drawParties(paper, kind, invoice)
  await drawLines(paper, lines, itemization, invoice.currency)
  drawSums(paper, itemization, invoice)
  drawPayment(paper, itemization, invoice)
  return finishPaper(paper, `${invoice.issuer} · ${kind} ${invoice.id}`)
}

/** Names the content, so that two files with the same name and another content can be told apart. */
function digestOf({ today: _, ...invoice }: BilledInvoice, lines: LineItemRow[]): Buffer {
  const content = JSON.stringify([invoice, lines])
  return createHash('sha256').update(content).digest().subarray(0, 16)
}

const PRICE_HEADS = { unit: 'Price per unit', line: 'Price per line' }

async function drawLines(
  paper: Paper,
  lines: LineItemRow[],
  { amounts, reading }: Itemization,
  currency: string,
): Promise<void> {
  const rows = lines.slice(0, MOST_PRINTED).map((line, index) => {
    const foreign = line.currency === currency ? '' : ` ${line.currency}`
    return [
      { text: line.description, ...(line.details ? { note: line.details } : {}) },
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

const VALUE: Style = { size: 9.5 }

/** Line items, total, paid and balance: kept together. */
function drawSums(
  paper: Paper,
  { lineItems, notItemized, reading }: Itemization,
  invoice: BilledInvoice,
): void {
  const { currency } = invoice
  const { total, settled, finer = [], balance } = settlementOf(invoice)
  const rows = [
    ['Line items', lineItems],
    ...(reading ? [] : [['Not itemized', notItemized]]),
    ['Total', total],
    ...[settled, ...finer].map(({ label, amount }) => [label, amount]),
  ]
  ensureRoom(paper, rows.length * 17 + 46)
  paper.y += 12
  const from = PAGE.left + 270
  for (const [label = '', amount = ''] of rows)
    drawPair(paper, from, label, formatAmount(amount, currency), VALUE)
  paper.y += 3
  rule(paper, paper.y, from)
  paper.y += 8
  const left = moneyText(balance.amount, currency)
  drawPair(paper, from, balance.label, left, { size: 12, bold: true })
}
