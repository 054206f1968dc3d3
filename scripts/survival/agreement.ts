import Big from 'big.js'
import type { InvoiceWithLines } from '#lib/billing/invoices/contract.ts'
import { itemizationText, itemize } from '#lib/billing/invoices/itemization.ts'
import type { NewInvoice } from '#lib/imports/schemas.ts'
import { pdfErrors } from '#lib/platform/pdf/test-check.ts'
import { readPages } from '#lib/platform/pdf/test-read.ts'
import { printable } from '#lib/platform/pdf/text.ts'
import { pdfAmount, unitOf } from './currencies.ts'

/** An invoice in all its forms. CSV: the cells by column; the lines in their order. */
export type Forms = {
  input: NewInvoice
  json: InvoiceWithLines
  pdf: Uint8Array
  csv: Record<string, string>
  csvLines: Record<string, string>[]
}

/** Returns the differences between the forms of an invoice, and the errors of its files. */
export function disagreements({ input, json, pdf, csv, csvLines }: Forms): string[] {
  const differences: string[] = pdfErrors(pdf).map((difference) => `PDF: ${difference}`)
  const check = (holds: boolean, what: string) => holds || differences.push(what)
  const same = (one: string | number | undefined, other: string | number | undefined) =>
    one !== undefined && other !== undefined && new Big(one).eq(other)
  for (const field of ['totalAmount', 'balanceAmount'] as const) {
    check(same(json[field], input[field]), `JSON: ${field} is ${json[field]}`)
    check(same(csv[field], input[field]), `CSV: ${field} is ${csv[field]}`)
  }
  const lines = input.lines.map((line) => ({ ...line, currency: input.currency }))
  const itemization = itemize(input, lines)
  check(json.lineItems.length === lines.length && csvLines.length === lines.length, 'lines are missing')
  for (const [index, amount] of itemization.amounts.entries()) {
    check(same(json.lineItems[index]?.amount, amount), `JSON: amount of line ${index}`)
    check(same(csvLines[index]?.lineAmount, amount), `CSV: amount of line ${index}`)
    check(isRounded(amount, lines[index], unitOf(input.currency)), `rounding of line ${index}`)
    check(sameText(csvLines[index]?.lineDescription, lines[index]?.description), `CSV: text of line ${index}`)
  }
  check(sameText(csv.id, input.number), 'CSV: id')
  check(same(json.itemization.notItemizedAmount, itemization.notItemized), 'JSON: not itemized')
  return [
    ...differences,
    ...pdfDifferences(input, itemization, readPages(pdf)).map((difference) => `PDF: ${difference}`),
  ]
}

/**
 * Returns whether the amount has no more decimals than the currency, and is at most half a minor unit from the price,
 * or from price × quantity.
 */
function isRounded(amount: string, line: { price: string; qty: string } | undefined, unit: number): boolean {
  const [value, price] = [new Big(amount), new Big(line?.price ?? 0)]
  const isNear = (exact: Big) => value.minus(exact).abs().times(2).lte(new Big(10).pow(-unit))
  return value.round(unit).eq(value) && (isNear(price) || isNear(price.times(line?.qty ?? 0)))
}

/** Compares texts without apostrophes, which a CSV cell may have before a formula. */
function sameText(cell: string | undefined, text: string | undefined): boolean {
  return cell?.replaceAll("'", '') === text?.replaceAll("'", '')
}

type Pages = ReturnType<typeof readPages>

/** A later page repeats the column headings above this line, in points from the bottom. */
const TOP = 775
const HEADINGS = /^(Description|Qty|Price per \w+|Amount \(\w+\))$/

function pdfDifferences(
  invoice: NewInvoice,
  itemization: ReturnType<typeof itemize>,
  pages: Pages,
): string[] {
  const { currency, totalAmount } = invoice
  const differences: string[] = []
  const check = (holds: boolean, what: string) => holds || differences.push(what)
  // The page number is in the bottom margin.
  const body = pages.map((page) => page.filter(({ y }) => y > 50))
  const texts = body.flat().map(({ text }) => text)
  const after = (label: string) => texts[texts.lastIndexOf(label) + 1]
  const formatted = (amount: string | Big) => pdfAmount(amount, currency)
  check(after('Total') === `${formatted(totalAmount)} ${currency}`, `total is ${after('Total')}`)
  check(after('Line items') === formatted(itemization.lineItems), `line items are ${after('Line items')}`)
  // The PDF shows the invoice as issued, without later payments.
  for (const label of ['Balance due', 'Credit balance', 'Amount due', 'Paid or credited'])
    check(!texts.includes(label), `${label} stands there`)
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  for (const [amount, expected] of tally(itemization.amounts.map(formatted)))
    check((counts.get(amount) ?? 0) >= expected, `${amount} stands there too seldom`)
  const bodyRuns = body.flatMap((page, index) =>
    page.filter(({ text, y }) => index === 0 || y < TOP || !HEADINGS.test(text)),
  )
  // A row is drawn line by line, so the left edge separates the text of a cell from the rest.
  const columns = Map.groupBy(bodyRuns, ({ x }) => Math.round(x))
  const bodyTexts = [bodyRuns, ...columns.values()].map(bare)
  const hasText = (text: string) => bodyTexts.some((whole) => whole.includes(bareText(text)))
  check(hasText(itemizationText(itemization, currency)), 'the verdict is missing')
  for (const text of [invoice.number, invoice.issuer, ...invoice.lines.map(({ description }) => description)])
    check(hasText(text), `${JSON.stringify(text.slice(0, 80))} is missing`)
  for (const [index, page] of pages.entries())
    check(
      page.some(({ text }) => text === `${index + 1} of ${pages.length}`),
      `page ${index + 1} has no number`,
    )
  return differences
}

function tally(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}

function bare(runs: readonly { text: string }[]): string {
  return runs.map(({ text }) => bareText(text)).join('')
}

/** Returns the text without the characters that a line break may remove. */
function bareText(text: string): string {
  return printable(text).replace(/\s+/g, '')
}
