import 'server-only'
import { createHash } from 'node:crypto'
import type Big from 'big.js'
import { type Itemization, itemizationText, itemize } from '#lib/billing/invoices/itemization.ts'
import { platformName } from '#lib/billing/invoices/rules.ts'
import { ibanText } from '#lib/billing/parties/bank-codes.ts'
import { type Party, partyLines } from '#lib/billing/parties/rules.ts'
import { isConsistent, type TaxSums, taxOf } from '#lib/billing/posting/tax.ts'
import { differencesText, lineFacts, taxLabel } from '#lib/billing/posting/words.ts'
import { drawFact, drawPair, drawWrapped, LINE } from '#lib/platform/pdf/block.ts'
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
} from '#lib/platform/pdf/paper.ts'
import { type Cell, columnWidth, drawTable, remainingWidth } from '#lib/platform/pdf/table.ts'
import { addDays, dayText, epochOfDay } from '#lib/platform/values/days.ts'
import { Exact } from '#lib/platform/values/decimals.ts'
import { formatAmount, formatDecimal, minorUnit, moneyText } from '#lib/platform/values/money.ts'
import {
  caveatOf,
  type DrawnLine,
  type InvoiceDocument,
  isOfSeller,
  kindOf,
  MOST_PRINTED,
} from './document.ts'

/** Who made what no seller issued. */
const OURSELVES = 'Licenses & Invoices'

const SMALL: Style = { size: 8.5, color: INK.gray }
const VALUE: Style = { size: 9.5 }

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
  const tax = printableTax(taxOf(document, lines))
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

/** A document names no tax that was calculated here from the lines and does not come to the total. */
function printableTax(tax: TaxSums | undefined): TaxSums | undefined {
  return tax && tax.amountsFrom === 'LINE_ITEMS' && !isConsistent(tax) ? undefined : tax
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

/** The head, and beside it who issued it; of what no seller issued, only whose charges these are. */
function drawTop(paper: Paper, document: InvoiceDocument): void {
  const head = element(paper, paper.root, 'H1')
  write(paper, head, kindOf(document), PAGE.left, paper.y, { size: 22, bold: true })
  const { page } = paper.doc
  const top = paper.y
  const from = element(paper, paper.root, 'P')
  const draw = (text: string, style: Style) =>
    drawWrapped(paper, from, text, PAGE.left + 230, PAGE.right, { ...style, align: 'right' })
  paper.y += 8
  if (isOfSeller(document)) {
    draw(document.seller.name, { size: 11, bold: true })
    for (const line of partyLines(document.seller)) draw(line, SMALL)
  } else draw(`Charges of ${document.seller.name}`, VALUE)
  paper.y = (paper.doc.page === page ? Math.max(paper.y, top + 30) : paper.y) + 14
  rule(paper, paper.y)
  paper.y += 16
  const caveat = caveatOf(document)
  if (!caveat) return
  drawWrapped(paper, element(paper, paper.root, 'P'), caveat, PAGE.left, PAGE.right, VALUE)
  paper.y += 12
}

/** The facts on the right, who is billed on the left: last, for an address may be long. */
function drawParties(paper: Paper, document: InvoiceDocument): void {
  const top = paper.y
  const { page } = paper.doc
  for (const [label, value] of factsOf(document))
    drawFact(paper, { x: PAGE.left + 270, indent: 100 }, label, value, {
      ...VALUE,
      bold: value === document.number,
    })
  // A number of many lines may have left the page.
  const beside = paper.doc.page === page ? top : paper.y
  const bottom = paper.y
  const facts = paper.doc.page
  const block = element(paper, paper.root, 'P')
  write(paper, block, 'Billed to', PAGE.left, beside, SMALL)
  paper.y = beside + LINE
  drawParty(paper, block, document.buyer)
  paper.y = (paper.doc.page === facts ? Math.max(bottom, paper.y) : paper.y) + 22
}

function factsOf(document: InvoiceDocument): [label: string, value: string][] {
  const { number, documentState, invoiceDate, dueDate, corrects, billingAccount } = document
  const { currency, platform, periodStart, periodEnd } = document
  const { purchaseOrder, buyerReference, costCenter } = document
  const isOwed = documentState === 'issued'
  const kind = kindOf(document)
  const [numberLabel, dateLabel] = isOfSeller(document)
    ? [`${kind} number`, `${kind} date`]
    : ['Number', 'Date']
  const period = periodStart && periodEnd && [dayText(periodStart), dayText(addDays(periodEnd, -1))]
  const facts: [string, string | null | undefined][] = [
    [numberLabel, number],
    ['Corrects', corrects],
    [dateLabel, dayText(invoiceDate)],
    ['Due date', isOwed && kind !== 'Credit note' ? dayText(dueDate) : null],
    ['Period', period ? period.join(' – ') : null],
    ['Billing account', billingAccount],
    ['Purchase order', purchaseOrder],
    ['Your reference', buyerReference],
    ['Cost center', costCenter],
    ['Currency', currency],
    ['Platform', platformName(platform)],
  ]
  return facts.flatMap(([label, value]): [string, string][] => (value ? [[label, value]] : []))
}

function drawParty(paper: Paper, block: PDFKit.PDFStructureElement, party: Party): void {
  const right = PAGE.left + 250
  drawWrapped(paper, block, party.name, PAGE.left, right, { ...VALUE, bold: true })
  for (const line of partyLines(party)) drawWrapped(paper, block, line, PAGE.left, right, VALUE)
}

/** Whether the lines explain the total, and the tax adds up, in words. */
function drawVerdict(
  paper: Paper,
  itemization: Itemization,
  { currency }: InvoiceDocument,
  tax: TaxSums | undefined,
): void {
  paper.y += 10
  const style = itemization.reading ? SMALL : { ...SMALL, color: INK.amber, bold: true }
  const text = itemizationText(itemization, currency)
  drawWrapped(paper, element(paper, paper.root, 'P'), text, PAGE.left, PAGE.right, style)
  if (tax?.from === 'LINE_ITEMS' && isConsistent(tax)) {
    const note = 'The tax by rate is calculated from the line items: the issuer states none.'
    drawWrapped(paper, element(paper, paper.root, 'P'), note, PAGE.left, PAGE.right, SMALL)
  }
  const apart = tax && statedDifferences(tax, currency)
  if (!apart) return
  const loud = { ...SMALL, color: INK.amber, bold: true }
  drawWrapped(paper, element(paper, paper.root, 'P'), apart, PAGE.left, PAGE.right, loud)
}

/** Where the issuer's own figures do not add up; what was calculated here is not printed where it differs. */
function statedDifferences({ differences, from }: TaxSums, currency: string): string | undefined {
  const isIssuers = from === 'ISSUER'
  const own = isIssuers ? differences : { taxable: '0', tax: '0', total: differences.total }
  return differencesText(own, currency)
}

/**
 * The seller's terms, and where to pay: as much of it as is known. How much is left to pay is not of the paper: it
 * changes. There is nothing of it where no seller asks for money.
 */
function drawTerms(paper: Paper, document: InvoiceDocument): void {
  const isDemand = !document.totalAmount.startsWith('-') && /[1-9]/.test(document.totalAmount)
  if (!isOfSeller(document) || !isDemand) return
  const rows = termsOf(document)
  paper.y += 14
  ensureRoom(paper, 34 + rows.length * 15)
  rule(paper, paper.y)
  paper.y += 12
  write(paper, element(paper, paper.root, 'H2'), 'Payment', PAGE.left, paper.y, { size: 11, bold: true })
  paper.y += 19
  for (const [label, value] of rows) drawFact(paper, { x: PAGE.left, indent: 100 }, label, value, VALUE)
}

function termsOf({
  number,
  dueDate,
  seller,
  paymentTerms,
}: InvoiceDocument): [label: string, value: string][] {
  const { name, bank, iban, bic, account, terms } = seller
  const known = bank ?? iban ?? bic ?? account
  const rows: [string, string | null][] = [
    ['Payable by', dayText(dueDate)],
    ['Reference', number],
    ['Account holder', known === null ? null : name],
    ['Bank', bank],
    ['IBAN', iban && ibanText(iban)],
    ['BIC', bic],
    ['Account', account],
    ['Terms', paymentTerms ?? terms],
  ]
  return rows.flatMap(([label, value]): [string, string][] => (value ? [[label, value]] : []))
}
