import { element, ensureRoom, INK, PAGE, type Paper, type Style, widthOf, write } from './paper.ts'
import { wrap } from './text.ts'

/** From one line of running text to the next, in points. */
export const LINE = 13.5

/** Draws text from `left` to `right`, over as many lines as it takes, from `paper.y` on. */
export function drawWrapped(
  paper: Paper,
  into: PDFKit.PDFStructureElement,
  text: string,
  left: number,
  right: number,
  style: Style,
): void {
  for (const line of wrap(text, right - left, (part) => widthOf(paper, part, style))) {
    ensureRoom(paper, LINE)
    write(paper, into, line, style.align === 'right' ? right : left, paper.y, style)
    paper.y += Math.max(LINE, style.size * 1.35)
  }
}

/** Draws a label at `x`, and what it says from `indent` points further on, over as many lines as it takes. */
export function drawFact(
  paper: Paper,
  { x, indent }: { x: number; indent: number },
  label: string,
  value: string,
  style: Style,
): void {
  ensureRoom(paper, LINE)
  const fact = element(paper, paper.root, 'P')
  write(paper, fact, label, x, paper.y + 1, { size: 8.5, color: INK.gray })
  drawWrapped(paper, fact, value, x + indent, PAGE.right, style)
}

/** Draws a label at `x` and its amount at the right margin; one line, or two where both don't fit. */
export function drawPair(paper: Paper, x: number, label: string, amount: string, style: Style): void {
  const pair = element(paper, paper.root, 'P')
  write(paper, pair, label, x, paper.y, style.bold ? style : { ...style, color: INK.gray })
  const beside = PAGE.right - x - widthOf(paper, label, style) - 12
  if (widthOf(paper, amount, style) > beside) paper.y += LINE
  write(paper, pair, amount, PAGE.right, paper.y, { ...style, align: 'right' })
  paper.y += 17
}
