import 'server-only'

// All internals of pdfkit and its fontkit that we use. pdfkit.test.ts describes the purpose of each, and how to proceed
// when one has moved.

export type Glyph = { id: number; codePoints: number[] }
export type GlyphRun = { glyphs: Glyph[]; positions: object[]; advanceWidth: number }

/** Font as a document uses it. */
export type FontInternals = {
  font: ParsedFont
  layoutRun(text: string, features?: string[]): GlyphRun
  layout(text: string): { glyphs: Glyph[] }
  /** Used glyphs by their number in the font, and the characters that they stand for. */
  subset: { mapping: Record<number, number> }
  unicode: number[][]
}

/** Font file parsed by fontkit. `_glyphs` caches used glyphs by number. */
export type ParsedFont = {
  hasGlyphForCodePoint(code: number): boolean
  getGlyph(id: number, codePoints: number[]): Glyph
  _glyphs: Record<number, Glyph>
}

/** Returns the document's current font. */
export function fontOf(doc: PDFKit.PDFDocument): FontInternals {
  return (doc as unknown as { _font: FontInternals })._font
}

/** Returns a view of a font with glyphs of its own, isolated from other documents. */
export function viewOf(font: ParsedFont): ParsedFont {
  return Object.assign(Object.create(font), { _glyphs: {} })
}

/** Runs work that uses the font's glyphs, and keeps the font from remembering them. */
export function forgetting<T>({ font }: FontInternals, work: () => T): T {
  const glyphs = font._glyphs
  font._glyphs = {}
  try {
    return work()
  } finally {
    font._glyphs = glyphs
  }
}

type MetadataInternals = { _id: Buffer; _addInfo(): void; appendXML(xml: string): void }

/** Sets the document's id of 16 bytes and its XMP metadata, in place of the package's. */
export function setMetadata(doc: PDFKit.PDFDocument, id: Buffer, xml: string): void {
  const internals = doc as unknown as MetadataInternals
  internals._id = id
  internals._addInfo = () => internals.appendXML(xml)
}

/** Content of the current page: one chunk per operator until they are joined. */
type Content = { buffer: Uint8Array[] }

/** Joins the current page's content to one chunk: a hundred thousand small ones take a lot of memory. */
export function joinContent(doc: PDFKit.PDFDocument): void {
  const { content } = doc.page as unknown as { content: Content }
  content.buffer = [Buffer.concat(content.buffer)]
}
