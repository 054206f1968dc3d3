import 'server-only'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  element,
  ensureRoom,
  INK,
  PAGE,
  type PdfDocument,
  rule,
  type Style,
  widthOf,
  write,
} from './document.ts'
import { wrap } from './text.ts'

/** Column of a table; `width` in points. Text wraps, and its `note`, in gray, is drawn below. */
export type Column = { header: string; align: 'left' | 'right'; width: number }
export type Cell = { text: string; note?: string }

type Placed = { text: string; style: Style }

const TEXT: Style = { size: 9 }
const NOTE = { size: 8, color: INK.gray }
const LINE = 12.5
const GAP = 14
const PADDING = 5.5

/** Returns the width that a column of numbers needs, at most `most`. */
export function columnWidth(pdf: PdfDocument, header: string, texts: string[], most: number): number {
  const widest = (style: Style, candidates: string[]) =>
    candidates.reduce((most, text) => Math.max(most, widthOf(pdf, text, style)), 0)
  return Math.min(most, Math.max(widest(NOTE, [header]), widest(TEXT, texts)) + 0.5)
}

/**
 * Draws a table from the current y position on, over as many pages as necessary, with headers on each. A row that fits
 * on a page is not divided; a longer one continues on the next page.
 */
export async function writeTable(pdf: PdfDocument, columns: Column[], rows: Cell[][]): Promise<void> {
  const table = element(pdf, pdf.root, 'Table')
  writeHeaderRow(pdf, columns, table)
  for (const [index, cells] of rows.entries()) {
    writeRow(pdf, table, columns, cells)
    // A long table takes half a second: yield to other tasks.
    if (index % 25 === 24) await nextTurn()
  }
}

/** Draws the header row. Only the first page's is tagged as content: repeated ones would interrupt a screen reader. */
function writeHeaderRow(pdf: PdfDocument, columns: Column[], table?: PDFKit.PDFStructureElement): void {
  const row = table && element(pdf, table, 'TR')
  for (const [index, { header, align }] of columns.entries()) {
    const into = row ? element(pdf, row, 'TH', { scope: 'Column' }) : 'artifact'
    write(pdf, into, header, { x: edge(columns, index), y: pdf.y, style: { ...NOTE, align } })
  }
  pdf.y += LINE + 3
  rule(pdf, pdf.y)
}

function writeRow(
  pdf: PdfDocument,
  table: PDFKit.PDFStructureElement,
  columns: Column[],
  cells: Cell[],
): void {
  const placed = cells.map((cell, index) => layoutCell(pdf, cell, columns[index] as Column))
  const count = Math.max(...placed.map((lines) => lines.length))
  const row = element(pdf, table, 'TR')
  const boxes = cells.map(() => element(pdf, row, 'TD'))
  const height = count * LINE + 2 * PADDING
  const whole = height <= PAGE.bottom - PAGE.top - LINE - 3
  if (ensureRoom(pdf, whole ? height : LINE + 2 * PADDING)) writeHeaderRow(pdf, columns)
  pdf.y += PADDING
  for (let at = 0; at < count; at++) {
    if (ensureRoom(pdf, LINE)) {
      writeHeaderRow(pdf, columns)
      pdf.y += PADDING
    }
    for (const [index, box] of boxes.entries()) {
      const line = placed[index]?.[at]
      if (line) write(pdf, box, line.text, { x: edge(columns, index), y: pdf.y + 1, style: line.style })
    }
    pdf.y += LINE
  }
  row.end()
  pdf.y += PADDING
  rule(pdf, pdf.y)
}

function layoutCell(pdf: PdfDocument, cell: Cell, { width, align }: Column): Placed[] {
  const lines = (text: string, style: Style) =>
    wrap(text, width, (part) => widthOf(pdf, part, style)).map((line) => ({
      text: line,
      style: { ...style, align },
    }))
  return [...lines(cell.text, TEXT), ...(cell.note ? lines(cell.note, NOTE) : [])]
}

/** Returns the x position at which a column's text begins, or ends if it is right-aligned. */
function edge(columns: Column[], index: number): number {
  const before = columns.slice(0, index).reduce((sum, { width }) => sum + width + GAP, PAGE.left)
  const column = columns[index]
  return column?.align === 'right' ? before + column.width : before
}

/** Returns the width that the other columns leave for one column. */
export function remainingWidth(others: number[]): number {
  return PAGE.right - PAGE.left - others.reduce((sum, width) => sum + width + GAP, 0)
}

/** Renders a table of text whose second column has the remaining width; the third and later ones are numbers. */
export async function writeTextTable(
  pdf: PdfDocument,
  headers: readonly string[],
  rows: readonly (readonly string[])[],
): Promise<void> {
  const texts = (at: number) => rows.map((row) => row[at] ?? '')
  const widths = headers.map((header, at) => columnWidth(pdf, header, texts(at), 115))
  const others = widths.filter((_, at) => at !== 1)
  const columns = headers.map((header, at) => ({
    header,
    align: at < 2 ? ('left' as const) : ('right' as const),
    width: at === 1 ? remainingWidth(others) : (widths[at] ?? 0),
  }))
  await writeTable(
    pdf,
    columns,
    rows.map((row) => row.map((text) => ({ text }))),
  )
}
