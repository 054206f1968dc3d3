import 'server-only'
import { type Itemization, itemizationText } from '#lib/billing/invoices/itemization.ts'
import { ibanText } from '#lib/billing/issuers/bank-codes.ts'
import type { TaxSums } from '#lib/billing/posting/tax.ts'
import { differencesText } from '#lib/billing/posting/words.ts'
import { drawFact, drawWrapped } from '#lib/platform/pdf/block.ts'
import {
  element,
  ensureRoom,
  INK,
  PAGE,
  type Paper,
  rule,
  type Style,
  write,
} from '#lib/platform/pdf/paper.ts'
import { dayText } from '#lib/platform/values/days.ts'
import { type InvoiceDocument, isOfSeller } from './document.ts'

const NOTE: Style = { size: 8.5, color: INK.gray }
const VALUE: Style = { size: 9.5 }

/** Whether the lines explain the total, and the tax adds up, in words. */
export function drawVerdict(
  paper: Paper,
  itemization: Itemization,
  { currency }: InvoiceDocument,
  tax: TaxSums | undefined,
): void {
  paper.y += 10
  const style = itemization.reading ? NOTE : { ...NOTE, color: INK.amber, bold: true }
  const text = itemizationText(itemization, currency)
  drawWrapped(paper, element(paper, paper.root, 'P'), text, PAGE.left, PAGE.right, style)
  const apart = tax && differencesText(tax.differences, currency)
  if (!apart) return
  const loud = { ...NOTE, color: INK.amber, bold: true }
  drawWrapped(paper, element(paper, paper.root, 'P'), apart, PAGE.left, PAGE.right, loud)
}

/**
 * The seller's terms, and where to pay: as much of it as is known. How much is left to pay is not of the paper: it
 * changes. There is nothing of it where no seller asks for money.
 */
export function drawTerms(paper: Paper, document: InvoiceDocument): void {
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
