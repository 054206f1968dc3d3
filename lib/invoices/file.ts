import 'server-only'
import { drawPair, drawWrapped, LINE } from '#lib/pdf/block.ts'
import {
  element,
  ensureRoom,
  finishPaper,
  INK,
  openPaper,
  PAGE,
  type Paper,
  rule,
  type Style,
  write,
} from '#lib/pdf/paper.ts'
import { type Cell, columnWidth, drawTable, remainingWidth } from '#lib/pdf/table.ts'
import { formatAmount, formatDecimal, type Sums, sumsOf } from './amounts.ts'
import { epochOfDay, INVOICE_STATUS_NAMES, minorUnit, statusOf } from './rules.ts'
import type { InvoiceRow, LineItemRow } from './store.ts'

type Billed = { billedTo: { name: string; address: string | null; taxId: string | null } }

/** An invoice as a PDF file: the same rows give the same bytes. */
export async function drawInvoice(invoice: InvoiceRow & Billed, lines: LineItemRow[]): Promise<Uint8Array> {
  const paper = openPaper({
    title: `Invoice ${invoice.id}`,
    author: invoice.issuer,
    date: new Date(epochOfDay(invoice.invoiceDate)),
  })
  const sums = sumsOf(invoice, lines)
  drawTop(paper, invoice)
  drawParties(paper, invoice)
  drawLines(paper, lines, sums, invoice.currency)
  drawSums(paper, sums, invoice.currency)
  return finishPaper(paper, `${invoice.issuer} · Invoice ${invoice.id}`)
}

const LABEL: Style = { size: 8.5, color: INK.gray }
const VALUE: Style = { size: 9.5 }

function drawTop(paper: Paper, { issuer }: InvoiceRow): void {
  const style = { size: 22, bold: true }
  const head = element(paper, paper.root, 'H1')
  write(paper, head, 'Invoice', PAGE.left, paper.y, style)
  const from = element(paper, paper.root, 'P')
  const y = paper.y
  paper.y += 8
  drawWrapped(paper, from, issuer, PAGE.left + 150, PAGE.right, { size: 11, bold: true, align: 'right' })
  paper.y = Math.max(paper.y, y + 30) + 14
  rule(paper, paper.y)
  paper.y += 16
}

/** The facts on the right, who is billed on the left: last, for an address may be long. */
function drawParties(paper: Paper, invoice: InvoiceRow & Billed): void {
  const { billedTo } = invoice
  const top = paper.y
  const status = statusOf(invoice.balanceAmount, invoice.dueDate, invoice.today)
  const color = status === 'PAST DUE' ? INK.red : status === 'PAID' ? INK.green : INK.dark
  drawFact(paper, 'Invoice number', invoice.id, { ...VALUE, bold: true })
  drawFact(paper, 'Invoice date', dayText(invoice.invoiceDate))
  drawFact(paper, 'Due date', dayText(invoice.dueDate))
  drawFact(paper, 'Status', INVOICE_STATUS_NAMES[status], { ...VALUE, color })
  drawFact(paper, 'Platform', platformName(invoice.platform))
  const { page } = paper.doc
  const bottom = paper.y
  const block = element(paper, paper.root, 'P')
  const right = PAGE.left + 250
  write(paper, block, 'Billed to', PAGE.left, top, LABEL)
  paper.y = top + LINE
  drawWrapped(paper, block, billedTo.name, PAGE.left, right, { ...VALUE, bold: true })
  if (billedTo.address) drawWrapped(paper, block, billedTo.address, PAGE.left, right, VALUE)
  if (billedTo.taxId) drawWrapped(paper, block, `Tax ID ${billedTo.taxId}`, PAGE.left, right, VALUE)
  paper.y = (paper.doc.page === page ? Math.max(bottom, paper.y) : paper.y) + 22
}

function drawFact(paper: Paper, label: string, value: string, style = VALUE): void {
  const fact = element(paper, paper.root, 'P')
  const x = PAGE.left + 270
  write(paper, fact, label, x, paper.y + 1, LABEL)
  drawWrapped(paper, fact, value, x + 90, PAGE.right, style)
}

function drawLines(paper: Paper, lines: LineItemRow[], { amounts }: Sums, currency: string): void {
  const rows = lines.map((line, index) => {
    const foreign = line.currency === currency ? '' : ` ${line.currency}`
    return [
      { text: line.description, ...(line.details ? { note: line.details } : {}) },
      { text: formatDecimal(line.qty) },
      { text: formatDecimal(line.price, minorUnit(line.currency)) },
      { text: formatAmount(amounts[index] ?? 0, line.currency) + foreign },
    ] satisfies Cell[]
  })
  const heads = ['Qty', 'Price per unit', `Amount (${currency})`]
  const numbers = heads.map((head, index) => {
    const texts = rows.map((row) => row[index + 1]?.text ?? '')
    return { head, align: 'right' as const, width: columnWidth(paper, head, texts, 115) }
  })
  const width = remainingWidth(numbers.map((column) => column.width))
  const columns = [{ head: 'Description', align: 'left' as const, width }, ...numbers]
  drawTable(paper, columns, rows)
}

/** Line items, total, paid and balance: kept together. */
function drawSums(paper: Paper, sums: Sums, currency: string): void {
  const rows = [
    ['Line items', sums.lineItems],
    ...(sums.notItemized ? [['Not itemized', sums.notItemized]] : []),
    ['Total', sums.total],
    [sums.settled.label, sums.settled.amount],
  ]
  ensureRoom(paper, rows.length * 17 + 46)
  paper.y += 12
  const from = PAGE.left + 270
  for (const [label = '', amount = ''] of rows)
    drawPair(paper, from, label, formatAmount(amount, currency), VALUE)
  paper.y += 3
  rule(paper, paper.y, from)
  paper.y += 8
  const balance = `${formatAmount(sums.balance.amount, currency)} ${currency}`
  drawPair(paper, from, sums.balance.label, balance, { size: 12, bold: true })
}

// Named here: the language data of Node's versions differ, and the same invoice gives the same bytes.
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `2026-09-30` as `30 Sep 2026`. */
function dayText(day: string): string {
  const [year, month, date] = day.split('-')
  return `${Number(date)} ${MONTHS[Number(month) - 1]} ${year}`
}

/** `cloud-platform` as "Cloud platform". */
function platformName(platform: string): string {
  const words = platform.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
