import 'server-only'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const files = new Map<string, Buffer>()

/** Inter, the console's own font, read once. */
export const regular = (): Buffer => read('400Regular/Inter_400Regular.ttf')
export const semiBold = (): Buffer => read('600SemiBold/Inter_600SemiBold.ttf')

function read(name: string): Buffer {
  const known = files.get(name)
  if (known) return known
  // Not imported: a bundler would put its own number of the module in the place of the path.
  const { createRequire } = process.getBuiltinModule('node:module')
  const home = dirname(createRequire(import.meta.url).resolve('@expo-google-fonts/inter/package.json'))
  const bytes = readFileSync(join(home, name))
  files.set(name, bytes)
  return bytes
}

type Run = { glyphs: object[]; positions: object[]; advanceWidth: number }
/** What we use of the package's font beyond its public side; `file.test.ts` says when it is gone. */
type Inner = {
  font: { hasGlyphForCodePoint(code: number): boolean }
  layoutRun(text: string, features?: string[]): Run
}
const innerOf = (doc: PDFKit.PDFDocument) => (doc as unknown as { _font: Inner })._font

const NUMBER = /^−?[\d,.]+ ?$/

/**
 * Makes the document's present font draw numbers with digits as wide as each other. A number is put together
 * from its characters, each shaped once: shaping every number would take most of the time of a long table.
 */
export function alignFigures(doc: PDFKit.PDFDocument): void {
  const font = innerOf(doc)
  const shape = font.layoutRun.bind(font)
  const known = new Map<string, Run>()
  const shaped = (char: string): Run => {
    const { glyphs, positions, advanceWidth } = known.get(char) ?? shape(char, ['tnum'])
    const run = { glyphs, positions, advanceWidth }
    known.set(char, run)
    return run
  }
  font.layoutRun = (text, features) => {
    if (features || !NUMBER.test(text)) return shape(text, features)
    const runs = Array.from(text, shaped)
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
  const { font } = innerOf(doc)
  const drawable = (char: string) => font.hasGlyphForCodePoint(char.codePointAt(0) ?? 0)
  return Array.from(text, (char) => (drawable(char) ? char : MISSING)).join('')
}
