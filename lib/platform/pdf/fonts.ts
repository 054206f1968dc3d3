import 'server-only'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import PDFDocument from 'pdfkit'
import { fontOf, forgetting, type GlyphRun, type ParsedFont, viewOf } from './pdfkit.ts'

const FILES = {
  regular: '400Regular/Inter_400Regular.ttf',
  bold: '600SemiBold/Inter_600SemiBold.ttf',
}
const parsed = new Map<string, ParsedFont>()

/**
 * Gives a document Inter, the console's own font, in both weights, with digits as wide as each other. To parse a
 * font takes longer than to draw an invoice, so that it is parsed once. Each document gets a view of it with
 * glyphs of its own, for they remember which character they were first wanted for: the same document has to come
 * out the same, whatever was drawn before or is being drawn beside it.
 */
export function addFonts(doc: PDFKit.PDFDocument): void {
  for (const [name, file] of Object.entries(FILES)) {
    const font = parsed.get(name) ?? parse(file)
    parsed.set(name, font)
    // The package's types know fonts by their files alone.
    cacheShapes(doc.registerFont(name, viewOf(font) as never).font(name), name)
  }
}

function parse(file: string): ParsedFont {
  // Not imported: a bundler would put its own number of the module in the place of the path.
  const { createRequire } = process.getBuiltinModule('node:module')
  const home = dirname(createRequire(import.meta.url).resolve('@expo-google-fonts/inter/package.json'))
  const doc = new PDFDocument({ autoFirstPage: false })
  return fontOf(doc.font(readFileSync(join(home, file)))).font
}

/** A word as glyphs, without a document. */
type Shape = { ids: number[]; codePoints: number[][]; positions: object[]; advanceWidth: number }

/** By font. Of words only, and not of all: what the customers' texts bring along is forgotten again. */
const shapes = new Map<string, Map<string, Shape>>()
const MAX_CACHED_SHAPES = 1500
const MAX_TEXT_LENGTH = 40

const NUMBER = /^−?[\d,.]+ ?$/

/**
 * Lets the document's present font, which is called `name`, draw numbers with digits as wide as each other, and
 * remember how words are shaped, which takes most of the time of a document. A number is put together from its
 * characters.
 */
function cacheShapes(doc: PDFKit.PDFDocument, name: string): void {
  const font = fontOf(doc)
  const shape = font.layoutRun.bind(font)
  const fontShapes = shapes.get(name) ?? new Map<string, Shape>()
  shapes.set(name, fontShapes)

  const shapeOf = (text: string, features?: string[]): Shape => {
    // A glyph remembers the character that it was first wanted for: here, always one of this word.
    const { glyphs, positions, advanceWidth } = forgetting(font, () => shape(text, features))
    const ids = glyphs.map(({ id }) => id)
    return { ids, codePoints: glyphs.map(({ codePoints }) => codePoints), positions, advanceWidth }
  }
  const shaped = (text: string, features?: string[]): GlyphRun => {
    const key = features ? `${features} ${text}` : text
    const cached = fontShapes.get(key) ?? shapeOf(text, features)
    if (fontShapes.size > MAX_CACHED_SHAPES) fontShapes.clear()
    if (text.length <= MAX_TEXT_LENGTH && !fontShapes.has(key)) fontShapes.set(key, cached)
    const { ids, codePoints, positions, advanceWidth } = cached
    const glyphs = ids.map((id, index) => font.font.getGlyph(id, codePoints[index] ?? []))
    return { glyphs, positions, advanceWidth }
  }

  font.layoutRun = (text, features) => {
    if (features || !NUMBER.test(text)) return shaped(text, features)
    const runs = Array.from(text, (char) => shaped(char, ['tnum']))
    return {
      glyphs: runs.flatMap((run) => run.glyphs),
      positions: runs.flatMap((run) => run.positions),
      advanceWidth: runs.reduce((sum, run) => sum + run.advanceWidth, 0),
    }
  }
}

// An empty square: the font's own sign for "no glyph" is not drawn as wide as it is measured.
const MISSING = '□'
const COMMON = /^[\x20-\x7e\u00a0-\u017f–—−·…€]*$/

/** The text with a square for each character that the document's present font can't draw. */
export function withGlyphs(doc: PDFKit.PDFDocument, text: string): string {
  if (COMMON.test(text)) return text
  const { font } = fontOf(doc)
  const drawable = (char: string) => font.hasGlyphForCodePoint(char.codePointAt(0) ?? 0)
  return Array.from(text, (char) => (drawable(char) ? char : MISSING)).join('')
}

/**
 * Whether a text that is drawn in the document's present font can be copied as it is. A glyph stands for what it
 * stood for first, and some characters share one; text from right to left is drawn the other way round.
 */
export function readsBack(doc: PDFKit.PDFDocument, text: string): boolean {
  const font = fontOf(doc)
  const fresh = new Map<number, number[]>()
  let read = ''
  for (const { id, codePoints } of font.layout(text).glyphs) {
    const readable = font.unicode[font.subset.mapping[id] ?? -1] ?? fresh.get(id) ?? codePoints
    fresh.set(id, readable)
    read += String.fromCodePoint(...readable)
  }
  return read === text
}
