import 'server-only'

// All that we use of pdfkit, and of the fontkit in it, beyond their public side. pdfkit.test.ts says what each is for,
// and what to do when it has moved.

export type Glyph = { id: number; codePoints: number[] }
export type GlyphRun = { glyphs: Glyph[]; positions: object[]; advanceWidth: number }

/** A font as a document uses it. */
export type FontInternals = {
  font: ParsedFont
  layoutRun(text: string, features?: string[]): GlyphRun
  layout(text: string): { glyphs: Glyph[] }
  /** Glyphs used so far, by their number in the font, and what each stands for. */
  subset: { mapping: Record<number, number> }
  unicode: number[][]
}

/** A font's file, parsed by fontkit. `_glyphs` are those that were wanted once, by their number. */
export type ParsedFont = {
  hasGlyphForCodePoint(code: number): boolean
  getGlyph(id: number, codePoints: number[]): Glyph
  _glyphs: Record<number, Glyph>
}

/** The document's present font. */
export function fontOf(doc: PDFKit.PDFDocument): FontInternals {
  return (doc as unknown as { _font: FontInternals })._font
}

/** The same font with glyphs of its own, which another document can't have touched. */
export function viewOf(font: ParsedFont): ParsedFont {
  return Object.assign(Object.create(font), { _glyphs: {} })
}

/** Does what wants glyphs of the font, and takes care that the font remembers none of them. */
export function forgetting<T>({ font }: FontInternals, work: () => T): T {
  const glyphs = font._glyphs
  font._glyphs = {}
  try {
    return work()
  } finally {
    font._glyphs = glyphs
  }
}

type Naming = { _id: Buffer; _addInfo(): void; appendXML(xml: string): void }

/** Gives the document an id of 16 bytes, and what it says of itself in XML, in the place of the package's own. */
export function setName(doc: PDFKit.PDFDocument, id: Buffer, xml: string): void {
  const naming = doc as unknown as Naming
  naming._id = id
  naming._addInfo = () => naming.appendXML(xml)
}

/** Of the bytes that were drawn on the document's present page: a piece for each operator until they are joined. */
type Content = { buffer: Uint8Array[] }

/** Joins what was drawn on the present page to one piece: some hundred thousand small ones take a lot of memory. */
export function joinContent(doc: PDFKit.PDFDocument): void {
  const { content } = doc.page as unknown as { content: Content }
  content.buffer = [Buffer.concat(content.buffer)]
}
