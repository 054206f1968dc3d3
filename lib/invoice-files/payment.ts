import 'server-only'
import { dayText } from '#lib/days.ts'
import { type Itemization, itemizationText } from '#lib/invoices/itemization.ts'
import { roundingText, settlementOf } from '#lib/invoices/total-to-balance.ts'
import { ibanText } from '#lib/issuers/bank-codes.ts'
import { moneyText } from '#lib/money.ts'
import { drawFact, drawWrapped } from '#lib/pdf/block.ts'
import { element, ensureRoom, INK, PAGE, type Paper, rule, type Style, write } from '#lib/pdf/paper.ts'
import type { BilledInvoice } from './parties.ts'

const NOTE: Style = { size: 8.5, color: INK.gray }
const VALUE: Style = { size: 9.5 }

/** Whether the lines explain the total, and how to pay what is left: as much of it as is known. */
export function drawPayment(paper: Paper, itemization: Itemization, invoice: BilledInvoice): void {
  const { currency } = invoice
  paper.y += 10
  const style = itemization.reading ? NOTE : { ...NOTE, color: INK.amber, bold: true }
  const say = (text: string, how: Style) =>
    drawWrapped(paper, element(paper, paper.root, 'P'), text, PAGE.left, PAGE.right, how)
  say(itemizationText(itemization, currency), style)
  const rounding = roundingText(invoice)
  if (rounding) say(rounding, NOTE)
  const { balance } = settlementOf(invoice)
  const owed = !balance.amount.startsWith('-') && /[1-9]/.test(balance.amount)
  const rows = owed ? paymentRows(invoice, balance.amount) : []
  paper.y += 14
  ensureRoom(paper, 34 + rows.length * 15)
  rule(paper, paper.y)
  paper.y += 12
  write(paper, element(paper, paper.root, 'H2'), 'Payment', PAGE.left, paper.y, { size: 11, bold: true })
  paper.y += 19
  for (const [label, value] of rows) drawFact(paper, { x: PAGE.left, indent: 100 }, label, value, VALUE)
  if (rows.length > 0) return
  const said = balance.amount.startsWith('-')
    ? `Nothing is to be paid: ${moneyText(balance.amount.slice(1), currency)} are in your favor.`
    : 'Nothing is left to pay.'
  say(said, VALUE)
}

function paymentRows(invoice: BilledInvoice, payable: string): [label: string, value: string][] {
  const { id, issuer, dueDate, currency, issuerDetails } = invoice
  const { bank, iban, bic, account, terms } = issuerDetails
  const known = bank ?? iban ?? bic ?? account
  const rows: [string, string | null][] = [
    ['Amount due', moneyText(payable, currency)],
    ['Payable by', dayText(dueDate)],
    ['Reference', id],
    ['Account holder', known === null ? null : issuer],
    ['Bank', bank],
    ['IBAN', iban && ibanText(iban)],
    ['BIC', bic],
    ['Account', account],
    ['Terms', terms],
  ]
  return rows.flatMap(([label, value]): [string, string][] => (value ? [[label, value]] : []))
}
