import 'server-only'
import { dayText } from '#lib/days.ts'
import { platformName } from '#lib/invoices/rules.ts'
import type { InvoiceRow } from '#lib/invoices/store.ts'
import type { IssuerDetails } from '#lib/issuers/store.ts'
import { drawFact, drawWrapped, LINE } from '#lib/pdf/block.ts'
import { element, INK, PAGE, type Paper, rule, type Style, write } from '#lib/pdf/paper.ts'

/** An invoice with who is billed, and what is known of who bills. */
export type BilledInvoice = InvoiceRow & {
  billedTo: { name: string; address: string | null; taxId: string | null }
  issuerDetails: IssuerDetails
}

const LABEL: Style = { size: 8.5, color: INK.gray }
const VALUE: Style = { size: 9.5 }

/** What the paper calls itself. */
export function kindOf({ totalAmount }: InvoiceRow): 'Invoice' | 'Credit note' {
  return totalAmount.startsWith('-') && /[1-9]/.test(totalAmount) ? 'Credit note' : 'Invoice'
}

/** The head, and beside it who bills. */
export function drawTop(paper: Paper, kind: string, { issuer, issuerDetails }: BilledInvoice): void {
  const head = element(paper, paper.root, 'H1')
  write(paper, head, kind, PAGE.left, paper.y, { size: 22, bold: true })
  const { page } = paper.doc
  const top = paper.y
  const from = element(paper, paper.root, 'P')
  const draw = (text: string, style: Style) =>
    drawWrapped(paper, from, text, PAGE.left + 150, PAGE.right, { ...style, align: 'right' })
  paper.y += 8
  draw(issuer, { size: 11, bold: true })
  if (issuerDetails.address) draw(issuerDetails.address, LABEL)
  if (issuerDetails.taxId) draw(`Tax ID ${issuerDetails.taxId}`, LABEL)
  paper.y = (paper.doc.page === page ? Math.max(paper.y, top + 30) : paper.y) + 14
  rule(paper, paper.y)
  paper.y += 16
}

/** The facts on the right, who is billed on the left: last, for an address may be long. */
export function drawParties(paper: Paper, kind: string, invoice: BilledInvoice): void {
  const { billedTo } = invoice
  const top = paper.y
  const { page } = paper.doc
  const fact = (label: string, value: string, style = VALUE) =>
    drawFact(paper, { x: PAGE.left + 270, indent: 100 }, label, value, style)
  fact(`${kind} number`, invoice.id, { ...VALUE, bold: true })
  fact(`${kind} date`, dayText(invoice.invoiceDate))
  fact('Due date', dayText(invoice.dueDate))
  fact('Currency', invoice.currency)
  fact('Platform', platformName(invoice.platform))
  // A number of many lines may have left the page.
  const beside = paper.doc.page === page ? top : paper.y
  const bottom = paper.y
  const facts = paper.doc.page
  const block = element(paper, paper.root, 'P')
  const right = PAGE.left + 250
  write(paper, block, 'Billed to', PAGE.left, beside, LABEL)
  paper.y = beside + LINE
  drawWrapped(paper, block, billedTo.name, PAGE.left, right, { ...VALUE, bold: true })
  if (billedTo.address) drawWrapped(paper, block, billedTo.address, PAGE.left, right, VALUE)
  if (billedTo.taxId) drawWrapped(paper, block, `Tax ID ${billedTo.taxId}`, PAGE.left, right, VALUE)
  paper.y = (paper.doc.page === facts ? Math.max(bottom, paper.y) : paper.y) + 22
}
