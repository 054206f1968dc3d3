import 'server-only'
import { createHash } from 'node:crypto'
import type Big from 'big.js'
import { type Itemization, itemizationText, itemize } from '#lib/billing/invoices/itemization.ts'
import { type Party, partyLines } from '#lib/billing/parties/rules.ts'
import { describeLine, differencesText, taxLabel } from '#lib/billing/posting/format.ts'
import { isConsistent, type TaxSums, taxOf } from '#lib/billing/posting/tax.ts'
import { LINE, writeAmountLine, writeLabeledText, writeWrapped } from '#lib/platform/pdf/block.ts'
import {
  element,
  ensureRoom,
  finishPdf,
  INK,
  openPdf,
  PAGE,
  type PdfDocument,
  rule,
  type Style,
  write,
} from '#lib/platform/pdf/document.ts'
import { type Cell, columnWidth, remainingWidth, writeTable } from '#lib/platform/pdf/table.ts'
import { ibanText } from '#lib/platform/values/bank-codes.ts'
import { addDays, dayText, epochOfDay } from '#lib/platform/values/days.ts'
import { Exact } from '#lib/platform/values/decimals.ts'
import { formatAmount, formatDecimal, minorUnit, moneyText } from '#lib/platform/values/money.ts'
import { platformName } from '#lib/platform/values/platforms.ts'
import { quantityText } from '#lib/platform/values/unit-names.ts'
import {
  caveatOf,
  type InvoiceDocument,
  isOfSeller,
  kindOf,
  MAX_PRINTED_LINES,
  type PaymentList,
  type PdfLine,
} from './document.ts'

/** Author of documents without an issuing seller. */
const OURSELVES = 'Licenses & Invoices'

const SMALL: Style = { size: 8.5, color: INK.gray }
const VALUE: Style = { size: 9.5 }

/**
 * An invoice as a PDF file: PDF/A-2a in its form, with nothing that acts. The same document gives the same bytes, on
 * whatever day; once it is issued they are kept, so that another layout changes none of before.
 */
export async function renderInvoicePdf(document: InvoiceDocument, lines: PdfLine[]): Promise<Uint8Array> {
  const { number, seller, invoiceDate } = document
  const [title, isSellers] = [`${kindOf(document)} ${number}`, isOfSeller(document)]
  const pdf = openPdf({
    title,
    author: isSellers ? seller.name : OURSELVES,
    date: new Date(epochOfDay(invoiceDate)),
    id: digestOf(document, lines),
  })
  const itemization = itemize(document, lines)
  const tax = printableTax(taxOf(document, lines))
  renderHeader(pdf, document)
  renderParties(pdf, document)
  await renderLines(pdf, lines, itemization, document)
  renderTotals(pdf, itemization, document, tax)
  renderDifferences(pdf, itemization, document, tax)
  renderTerms(pdf, document)
  if (document.paymentList) await renderPaymentList(pdf, document.paymentList, document.currency)
  return finishPdf(pdf, `${title} · ${isSellers ? '' : 'Charges of '}${seller.name}`)
}

/** Returns the digest of the content, which distinguishes files with the same name and other content. */
function digestOf(document: InvoiceDocument, lines: PdfLine[]): Buffer {
  const content = JSON.stringify([document, lines])
  return createHash('sha256').update(content).digest().subarray(0, 16)
}

const PRICE_HEADERS = { unit: 'Price per unit', line: 'Price per line' }

async function renderLines(
  pdf: PdfDocument,
  lines: PdfLine[],
  { amounts, basis }: Itemization,
  document: InvoiceDocument,
): Promise<void> {
  const { currency } = document
  const isOneTax = new Set(lines.map((line) => taxLabel(line.taxCategory, line.taxRate))).size === 1
  const rows = lines.slice(0, MAX_PRINTED_LINES).map((line, index) => {
    const foreign = line.currency === currency ? '' : ` ${line.currency}`
    return [
      { text: line.description, ...noteOf(line, document, { amount: amounts[index], isOneTax }) },
      { text: quantityText(line.qty, line.unit, line.type).replace('\u00a0', ' ') },
      { text: formatDecimal(line.price, minorUnit(line.currency)) },
      { text: formatAmount(amounts[index] ?? 0, line.currency) + foreign },
    ] satisfies Cell[]
  })
  const headers = ['Quantity', PRICE_HEADERS[basis ?? 'unit'], `Amount (${currency})`]
  const numbers = headers.map((header, index) => {
    const texts = rows.map((row) => row[index + 1]?.text ?? '')
    return { header: header, align: 'right' as const, width: columnWidth(pdf, header, texts, 115) }
  })
  const width = remainingWidth(numbers.map((column) => column.width))
  const columns = [{ header: 'Description', align: 'left' as const, width }, ...numbers]
  await writeTable(pdf, columns, rows)
  const others = lines.slice(MAX_PRINTED_LINES)
  if (others.length === 0) return
  const remaining = others.flatMap((line, index) =>
    line.currency === currency ? [amounts[index + MAX_PRINTED_LINES] ?? 0] : [],
  )
  const sum = remaining.reduce<Big>((all, amount) => all.plus(amount), new Exact(0))
  const text = `${others.length.toLocaleString('en')} more line items, ${moneyText(sum.toFixed(), currency)} together, are not printed here. The CSV export of the line items has them.`
  pdf.y += 8
  writeWrapped(pdf, element(pdf, pdf.root, 'P'), text, { left: PAGE.left, right: PAGE.right, style: VALUE })
}

/**
 * Returns the note under a line's description: its details and posting. The amounts of a tax are printed once, with the
 * totals; its rate is printed here only where lines differ.
 */
function noteOf(
  line: PdfLine,
  document: InvoiceDocument,
  { amount, isOneTax }: { amount: string | undefined; isOneTax: boolean },
): { note?: string } {
  const tax = isOneTax ? { taxCategory: null, taxRate: null } : {}
  const posting = { ...line, ...tax, taxAmount: null, netAmount: null }
  const parts = [
    ...(line.details ? [line.details] : []),
    ...describeLine(posting, line.currency, document, amount),
  ]
  return parts.length > 0 ? { note: parts.join(' · ') } : {}
}

/** Returns the tax to print: not one calculated here from the lines that misses the total. */
function printableTax(tax: TaxSums | undefined): TaxSums | undefined {
  return tax && tax.amountsFrom === 'LINE_ITEMS' && !isConsistent(tax) ? undefined : tax
}

/** Net, where the lines are not that already, and the tax by category and rate. */
function taxRows(taxed: TaxSums, lineItems: string, currency: string): string[][] {
  const { net, tax, breakdown, from } = taxed
  const isNet = new Exact(net).eq(lineItems)
  const calculated = from === 'LINE_ITEMS' ? ' (calculated)' : ''
  // Where the rows do not add up to the total, a note explains it: one row is enough here.
  const groups = (isConsistent(taxed) ? breakdown : []).map(
    ({ category, rate, taxableAmount, taxAmount }) => [
      `${taxLabel(category, rate)} of ${formatAmount(taxableAmount, currency)}${calculated}`,
      taxAmount,
    ],
  )
  return [...(isNet ? [] : [['Net', net]]), ...(groups.length > 0 ? groups : [['Tax', tax]])]
}

/** Line items and total: kept together. */
function renderTotals(
  pdf: PdfDocument,
  { lineItems, notItemized, basis }: Itemization,
  { currency, totalAmount }: InvoiceDocument,
  tax: TaxSums | undefined,
): void {
  const rows = [
    ['Line items', lineItems],
    ...(basis ? [] : [['Not itemized', notItemized]]),
    ...(tax ? taxRows(tax, lineItems, currency) : []),
  ]
  ensureRoom(pdf, rows.length * 17 + 46)
  pdf.y += 12
  const from = PAGE.left + 270
  for (const [label = '', amount = ''] of rows)
    writeAmountLine(pdf, from, { label, amount: formatAmount(amount, currency), style: VALUE })
  pdf.y += 3
  rule(pdf, pdf.y, from)
  pdf.y += 8
  writeAmountLine(pdf, from, {
    label: 'Total',
    amount: moneyText(totalAmount, currency),
    style: { size: 12, bold: true },
  })
}

/** Renders the header next to the issuer; for documents without a seller, only whose charges they are. */
function renderHeader(pdf: PdfDocument, document: InvoiceDocument): void {
  const heading = element(pdf, pdf.root, 'H1')
  write(pdf, heading, kindOf(document), { x: PAGE.left, y: pdf.y, style: { size: 22, bold: true } })
  const { page } = pdf.doc
  const top = pdf.y
  const from = element(pdf, pdf.root, 'P')
  const addText = (text: string, style: Style) =>
    writeWrapped(pdf, from, text, {
      left: PAGE.left + 230,
      right: PAGE.right,
      style: { ...style, align: 'right' },
    })
  pdf.y += 8
  if (isOfSeller(document)) {
    addText(document.seller.name, { size: 11, bold: true })
    for (const line of partyLines(document.seller)) addText(line, SMALL)
  } else addText(`Charges of ${document.seller.name}`, VALUE)
  pdf.y = (pdf.doc.page === page ? Math.max(pdf.y, top + 30) : pdf.y) + 14
  rule(pdf, pdf.y)
  pdf.y += 16
  const caveat = caveatOf(document)
  if (!caveat) return
  writeWrapped(pdf, element(pdf, pdf.root, 'P'), caveat, { left: PAGE.left, right: PAGE.right, style: VALUE })
  pdf.y += 12
}

/** The facts on the right, who is billed on the left: last, for an address may be long. */
function renderParties(pdf: PdfDocument, document: InvoiceDocument): void {
  const top = pdf.y
  const { page } = pdf.doc
  for (const [label, value] of detailsOf(document))
    writeLabeledText(
      pdf,
      { x: PAGE.left + 270, indent: 100 },
      {
        label,
        value,
        style: {
          ...VALUE,
          bold: value === document.number,
        },
      },
    )
  // A number of many lines may have left the page.
  const detailsTop = pdf.doc.page === page ? top : pdf.y
  const bottom = pdf.y
  const detailsPage = pdf.doc.page
  const block = element(pdf, pdf.root, 'P')
  write(pdf, block, 'Billed to', { x: PAGE.left, y: detailsTop, style: SMALL })
  pdf.y = detailsTop + LINE
  renderParty(pdf, block, document.buyer)
  pdf.y = (pdf.doc.page === detailsPage ? Math.max(bottom, pdf.y) : pdf.y) + 22
}

function detailsOf(document: InvoiceDocument): [label: string, value: string][] {
  const { number, documentState, invoiceDate, dueDate, corrects, billingAccount } = document
  const { currency, platform, periodStart, periodEnd } = document
  const { purchaseOrder, buyerReference, costCenter } = document
  const isOwed = documentState === 'issued'
  const kind = kindOf(document)
  const [numberLabel, dateLabel] = isOfSeller(document)
    ? [`${kind} number`, `${kind} date`]
    : ['Number', 'Date']
  const period = periodStart && periodEnd && [dayText(periodStart), dayText(addDays(periodEnd, -1))]
  const details: [string, string | null | undefined][] = [
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
  return details.flatMap(([label, value]): [string, string][] => (value ? [[label, value]] : []))
}

function renderParty(pdf: PdfDocument, block: PDFKit.PDFStructureElement, party: Party): void {
  const right = PAGE.left + 250
  writeWrapped(pdf, block, party.name, { left: PAGE.left, right, style: { ...VALUE, bold: true } })
  for (const line of partyLines(party))
    writeWrapped(pdf, block, line, { left: PAGE.left, right, style: VALUE })
}

/** Renders the differences between lines, tax and total, if there are any. */
function renderDifferences(
  pdf: PdfDocument,
  itemization: Itemization,
  { currency }: InvoiceDocument,
  tax: TaxSums | undefined,
): void {
  const loud = { ...SMALL, color: INK.amber, bold: true }
  const notes = [
    { text: itemizationText(itemization, currency), style: itemization.basis ? SMALL : loud },
    { text: tax && statedDifferences(tax, currency), style: loud },
  ]
  pdf.y += 10
  for (const { text, style } of notes)
    if (text)
      writeWrapped(pdf, element(pdf, pdf.root, 'P'), text, { left: PAGE.left, right: PAGE.right, style })
}

/** Explains where the issuer's figures do not add up; calculated figures that differ are not printed. */
function statedDifferences({ differences, from }: TaxSums, currency: string): string | undefined {
  const isIssuers = from === 'ISSUER'
  const printed = isIssuers ? differences : { taxable: '0', tax: '0', total: differences.total }
  return differencesText(printed, currency)
}

/**
 * The seller's terms, and where to pay: as much of it as is known. How much is left to pay is not of the paper: it
 * changes. There is nothing of it where no seller asks for money.
 */
function renderTerms(pdf: PdfDocument, document: InvoiceDocument): void {
  const isDemand = !document.totalAmount.startsWith('-') && /[1-9]/.test(document.totalAmount)
  if (!isOfSeller(document) || !isDemand) return
  const rows = termsOf(document)
  pdf.y += 14
  ensureRoom(pdf, 34 + rows.length * 15)
  rule(pdf, pdf.y)
  pdf.y += 12
  write(pdf, element(pdf, pdf.root, 'H2'), 'Payment', {
    x: PAGE.left,
    y: pdf.y,
    style: { size: 11, bold: true },
  })
  pdf.y += 19
  for (const [label, value] of rows)
    writeLabeledText(pdf, { x: PAGE.left, indent: 100 }, { label, value, style: VALUE })
}

/** Renders the payments and credits of a copy, and the balance of its day. */
async function renderPaymentList(
  pdf: PdfDocument,
  { day, rows, balance }: PaymentList,
  currency: string,
): Promise<void> {
  pdf.y += 14
  ensureRoom(pdf, 80)
  rule(pdf, pdf.y)
  pdf.y += 12
  write(pdf, element(pdf, pdf.root, 'H2'), 'Payments and credits', {
    x: PAGE.left,
    y: pdf.y,
    style: { size: 11, bold: true },
  })
  pdf.y += 19
  if (rows.length > 0) {
    const amounts = rows.map(({ amount }) => formatAmount(amount, currency))
    const header = `Amount (${currency})`
    const width = columnWidth(pdf, header, amounts, 115)
    const columns = [
      { header: 'Date', align: 'left' as const, width: 75 },
      { header: 'Payment', align: 'left' as const, width: remainingWidth([75, width]) },
      { header, align: 'right' as const, width },
    ]
    const cells = rows.map((row, index): Cell[] => [
      { text: row.day ? dayText(row.day) : '' },
      { text: row.name, ...(row.details ? { note: row.details } : {}) },
      { text: amounts[index] ?? '' },
    ])
    await writeTable(pdf, columns, cells)
  }
  pdf.y += 8
  writeAmountLine(pdf, PAGE.left + 230, {
    label: `Balance on ${dayText(day)}`,
    amount: moneyText(balance, currency),
    style: {
      size: 11,
      bold: true,
    },
  })
}

function termsOf({
  number,
  dueDate,
  seller,
  paymentTerms,
}: InvoiceDocument): [label: string, value: string][] {
  const { name, bank, iban, bic, account, terms } = seller
  const firstDetail = bank ?? iban ?? bic ?? account
  const rows: [string, string | null][] = [
    ['Payable by', dayText(dueDate)],
    ['Reference', number],
    ['Account holder', firstDetail === null ? null : name],
    ['Bank', bank],
    ['IBAN', iban && ibanText(iban)],
    ['BIC', bic],
    ['Account', account],
    ['Terms', paymentTerms ?? terms],
  ]
  return rows.flatMap(([label, value]): [string, string][] => (value ? [[label, value]] : []))
}
