import 'server-only'
import type { Readable } from 'node:stream'
import PDFDocument from 'pdfkit'
import { addFonts, readsBack, withGlyphs } from './fonts.ts'
import { joinContent, setMetadata } from './pdfkit.ts'
import { printable, wrap } from './text.ts'

/** A4 page and its margins, in points from the top left. */
export const PAGE = { width: 595.28, height: 841.89, left: 50, right: 545.28, top: 50, bottom: 776 }

export const INK = { dark: '#17191c', gray: '#5f646c', line: '#d3d0c6', amber: '#7a4b06' }

export type Style = {
  size: number
  bold?: boolean
  color?: string
  align?: 'left' | 'right'
}

/** PDF document that is being drawn. */
export type PdfDocument = {
  doc: PDFKit.PDFDocument
  /** Root of the document's structure tree (tagged PDF), in reading order. */
  root: PDFKit.PDFStructureElement
  /** Position of the next element, in points. */
  y: number
  /** Resolves to all bytes of the finished file. */
  file: Promise<Uint8Array>
}

/** Metadata of a document; `id`: 16 bytes that identify the content. */
type DocumentInfo = { title: string; author: string; date: Date; id: Buffer }

/** Begins a tagged document. The same calls result in the same bytes: no random numbers, no current time. */
export function openPdf({ date, id, ...textFields }: DocumentInfo): PdfDocument {
  const [title, author] = [metadataText(textFields.title), metadataText(textFields.author)]
  const doc = new PDFDocument({
    size: [PAGE.width, PAGE.height],
    margin: 0,
    bufferPages: true,
    pdfVersion: '1.7',
    subset: 'PDF/A-2a',
    tagged: true,
    lang: 'en',
    displayTitle: true,
    info: { Title: title, Author: author, CreationDate: date },
  })
  const file = collectBytes(doc)
  nameContent(doc, { title, author, date, id })
  addFonts(doc)
  const root = doc.struct('Document')
  doc.addStructure(root)
  return { doc, root, y: PAGE.top, file }
}

/** Adds an element to the structure tree, last in `parent`. */
export function element(
  { doc }: PdfDocument,
  parent: PDFKit.PDFStructureElement,
  type: 'H1' | 'H2' | 'P' | 'Table' | 'TR' | 'TH' | 'TD',
  options: { scope?: 'Column' } = {},
): PDFKit.PDFStructureElement {
  // The package's types lack `scope`, by which screen readers recognize a column header.
  const made = doc.struct(type, options as object)
  parent.add(made)
  return made
}

/** Returns the width of one line of text, in points. */
export function widthOf(pdf: PdfDocument, text: string, style: Style): number {
  const doc = styled(pdf, style)
  return doc.widthOfString(withGlyphs(doc, text))
}

/** Draws one line of text that begins, or with `align: 'right'` ends, at `x`, as content of `element`. */
export function write(
  pdf: PdfDocument,
  into: PDFKit.PDFStructureElement | 'artifact',
  text: string,
  { x, y, style }: { x: number; y: number; style: Style },
): void {
  if (text === '') return
  const left = style.align === 'right' ? x - widthOf(pdf, text, style) : x
  const doc = styled(pdf, style)
  const glyphs = withGlyphs(doc, text)
  if (into === 'artifact') doc.markContent('Artifact', { type: 'Pagination' })
  else {
    // Text that can't be drawn, or is drawn with another character's shape, can still be read aloud and copied.
    const plain = glyphs === text && readsBack(doc, text)
    into.add(doc.markStructureContent('Span', plain ? {} : { actual: text }))
  }
  doc.fillColor(style.color ?? INK.dark).text(glyphs, left, y, { lineBreak: false })
  doc.endMarkedContent()
}

function styled({ doc }: PdfDocument, { size, bold }: Style): PDFKit.PDFDocument {
  return doc.font(bold ? 'bold' : 'regular').fontSize(size)
}

/** Starts a new page unless `height` points are left on this one; returns whether it did. */
export function ensureRoom(pdf: PdfDocument, height: number): boolean {
  if (pdf.y + height <= PAGE.bottom) return false
  joinContent(pdf.doc)
  pdf.doc.addPage()
  pdf.y = PAGE.top
  return true
}

/** Draws a hairline across the page, or from `from` on. */
export function rule({ doc }: PdfDocument, y: number, from = PAGE.left): void {
  doc.markContent('Artifact', { type: 'Layout' })
  doc.moveTo(from, y).lineTo(PAGE.right, y).lineWidth(0.6).strokeColor(INK.line).stroke()
  doc.endMarkedContent()
}

/** Writes under each page the part of `footer` that fits on a line, and "2 of 3"; returns the file's bytes. */
export function finishPdf(pdf: PdfDocument, footer: string): Promise<Uint8Array> {
  const { doc, root, file } = pdf
  const { count } = doc.bufferedPageRange()
  const style = { size: 8, color: INK.gray }
  const [line = '', ...more] = wrap(footer, 400, (part) => widthOf(pdf, part, style))
  const footerLine = more.length > 0 ? `${line} …` : line
  for (let page = 0; page < count; page++) {
    doc.switchToPage(page)
    write(pdf, 'artifact', footerLine, { x: PAGE.left, y: PAGE.bottom + 20, style })
    write(pdf, 'artifact', `${page + 1} of ${count}`, {
      x: PAGE.right,
      y: PAGE.bottom + 20,
      style: {
        ...style,
        align: 'right',
      },
    })
  }
  root.end()
  doc.end()
  return file
}

type About = { title: string; author: string; date: Date; id: Buffer }

/** Returns text that both metadata places can hold: the information dictionary and the XMP packet. */
function metadataText(text: string): string {
  return printable(text)
    .toWellFormed()
    .replace(/[\ufffe\uffff]/g, '')
    .trim()
}

/**
 * Writes the document's metadata as XMP, as archives require (PDF/A, ISO 19005-2). The package would insert title and
 * author without escaping them, and an id that is not derived from the content.
 */
function nameContent(doc: PDFKit.PDFDocument, { title, author, date, id }: About): void {
  const { Producer = '', Creator = '' } = doc.info as { Producer?: string; Creator?: string }
  const xml = `
      <rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/">
        <xmp:CreateDate>${date.toISOString().slice(0, 19)}Z</xmp:CreateDate>
        <xmp:CreatorTool>${escaped(Creator)}</xmp:CreatorTool>
      </rdf:Description>
      <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">
        <dc:title><rdf:Alt><rdf:li xml:lang="x-default">${escaped(title)}</rdf:li></rdf:Alt></dc:title>
        <dc:creator><rdf:Seq><rdf:li>${escaped(author)}</rdf:li></rdf:Seq></dc:creator>
      </rdf:Description>
      <rdf:Description rdf:about="" xmlns:pdf="http://ns.adobe.com/pdf/1.3/">
        <pdf:Producer>${escaped(Producer)}</pdf:Producer>
      </rdf:Description>`
  setMetadata(doc, id, xml)
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (char) => ENTITIES[char] ?? char)
}

/** Number of chunks that are joined to one as they arrive. */
const MANY = 1000

/**
 * Returns all bytes of a stream after its end. A document arrives in a hundred thousand chunks of a few bytes, each of
 * which would take ten times its content's memory: the chunks are joined as they arrive.
 */
export function collectBytes(stream: Readable): Promise<Uint8Array> {
  const joined: Uint8Array[] = []
  let pieces: Uint8Array[] = []
  const join = () => {
    joined.push(Buffer.concat(pieces))
    pieces = []
  }
  return new Promise((resolve, reject) => {
    stream
      .on('data', (piece: Uint8Array) => {
        if (pieces.push(piece) === MANY) join()
      })
      .on('end', () => {
        join()
        resolve(Buffer.concat(joined))
      })
      .on('error', reject)
  })
}
