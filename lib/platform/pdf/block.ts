import { element, ensureRoom, INK, PAGE, type PdfDocument, type Style, widthOf, write } from './document.ts'
import { wrap } from './text.ts'

/** Line height of running text, in points. */
export const LINE = 13.5

/** Draws text from `left` to `right`, on as many lines as necessary, from the current y position on. */
export function writeWrapped(
  pdf: PdfDocument,
  into: PDFKit.PDFStructureElement,
  text: string,
  { left, right, style }: { left: number; right: number; style: Style },
): void {
  for (const line of wrap(text, right - left, (part) => widthOf(pdf, part, style))) {
    ensureRoom(pdf, LINE)
    write(pdf, into, line, { x: style.align === 'right' ? right : left, y: pdf.y, style })
    pdf.y += Math.max(LINE, style.size * 1.35)
  }
}

/** Draws a label at `x` and its text `indent` points further right, on as many lines as necessary. */
export function writeLabeledText(
  pdf: PdfDocument,
  { x, indent }: { x: number; indent: number },
  { label, value, style }: { label: string; value: string; style: Style },
): void {
  ensureRoom(pdf, LINE)
  const paragraph = element(pdf, pdf.root, 'P')
  write(pdf, paragraph, label, { x, y: pdf.y + 1, style: { size: 8.5, color: INK.gray } })
  writeWrapped(pdf, paragraph, value, { left: x + indent, right: PAGE.right, style })
}

/** Draws a label at `x` and its amount at the right margin; on one line, or on two if they don't fit. */
export function writeAmountLine(
  pdf: PdfDocument,
  x: number,
  { label, amount, style }: { label: string; amount: string; style: Style },
): void {
  const pair = element(pdf, pdf.root, 'P')
  write(pdf, pair, label, { x, y: pdf.y, style: style.bold ? style : { ...style, color: INK.gray } })
  const room = PAGE.right - x - widthOf(pdf, label, style) - 12
  if (widthOf(pdf, amount, style) > room) pdf.y += LINE
  write(pdf, pair, amount, { x: PAGE.right, y: pdf.y, style: { ...style, align: 'right' } })
  pdf.y += 17
}

/** Renders a heading, with room for the next line. */
export function writeHeading(pdf: PdfDocument, level: 'H1' | 'H2', text: string, size: number): void {
  ensureRoom(pdf, size + 40)
  const style = { size, bold: true }
  write(pdf, element(pdf, pdf.root, level), text, { x: PAGE.left, y: pdf.y, style })
  pdf.y += size + 6
}
