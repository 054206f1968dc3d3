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
 * Registers Inter, the console's font, in both weights, with tabular digits. Parsing a font takes longer than drawing
 * an invoice, so it is parsed once. Each document gets a view of the font with its own glyphs, because glyphs remember
 * the character for which they were first used: a document has to be identical whatever was drawn before or
 * concurrently.
 */
export function addFonts(doc: PDFKit.PDFDocument): void {
  for (const [name, file] of Object.entries(FILES)) {
    const font = parsed.get(name) ?? parse(file)
    parsed.set(name, font)
    // The package's types accept fonts by file only.
    cacheShapes(doc.registerFont(name, viewOf(font) as never).font(name), name)
  }
}

function parse(file: string): ParsedFont {
  // Not imported: a bundler would replace the path by its own module number.
  const { createRequire } = process.getBuiltinModule('node:module')
  const home = dirname(createRequire(import.meta.url).resolve('@expo-google-fonts/inter/package.json'))
  const doc = new PDFDocument({ autoFirstPage: false })
  return fontOf(doc.font(readFileSync(join(home, file)))).font
}

/** Shaped word, independent of a document. */
type Shape = { ids: number[]; codePoints: number[][]; positions: object[]; advanceWidth: number }

/** Shapes of words by font. Limited in number: words of the customers' texts are evicted. */
const shapes = new Map<string, Map<string, Shape>>()
const MAX_CACHED_SHAPES = 1500
const MAX_TEXT_LENGTH = 40

const NUMBER = /^−?[\d,.]+ ?$/

/**
 * Makes the document's current font, registered as `name`, draw numbers with tabular digits, and caches the shapes of
 * words, which take most of a document's time. Numbers are composed of their characters.
 */
function cacheShapes(doc: PDFKit.PDFDocument, name: string): void {
  const font = fontOf(doc)
  const shape = font.layoutRun.bind(font)
  const fontShapes = shapes.get(name) ?? new Map<string, Shape>()
  shapes.set(name, fontShapes)

  const shapeOf = (text: string, features?: string[]): Shape => {
    // A glyph remembers its first character: here always one of this word.
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

// White square: the font's own glyph for missing ones is drawn in another width than measured.
const MISSING = '□'
const COMMON = /^[\x20-\x7e\u00a0-\u017f–—−·…€]*$/

/** Returns the text with a square for each character that the current font lacks. */
export function withGlyphs(doc: PDFKit.PDFDocument, text: string): string {
  if (COMMON.test(text)) return text
  const { font } = fontOf(doc)
  const drawable = (char: string) => font.hasGlyphForCodePoint(char.codePointAt(0) ?? 0)
  return Array.from(text, (char) => (drawable(char) ? char : MISSING)).join('')
}

/**
 * Returns whether a text drawn in the current font can be copied unchanged. A glyph stands for its first character, and
 * some characters share a glyph; right-to-left text is drawn in reverse.
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
