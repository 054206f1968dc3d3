import 'server-only'
import { platformName } from '#lib/billing/invoices/rules.ts'
import { type Party, partyLines } from '#lib/billing/parties/rules.ts'
import { drawFact, drawWrapped, LINE } from '#lib/platform/pdf/block.ts'
import { element, INK, PAGE, type Paper, rule, type Style, write } from '#lib/platform/pdf/paper.ts'
import { addDays, dayText } from '#lib/platform/values/days.ts'
import { caveatOf, type InvoiceDocument, isOfSeller, kindOf } from './document.ts'

const LABEL: Style = { size: 8.5, color: INK.gray }
const VALUE: Style = { size: 9.5 }

/** The head, and beside it who issued it; of what no seller issued, only whose charges these are. */
export function drawTop(paper: Paper, document: InvoiceDocument): void {
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
    for (const line of partyLines(document.seller)) draw(line, LABEL)
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
export function drawParties(paper: Paper, document: InvoiceDocument): void {
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
  write(paper, block, 'Billed to', PAGE.left, beside, LABEL)
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
    ['Due date', isOwed ? dayText(dueDate) : null],
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
