import 'server-only'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import PDFDocument from 'pdfkit'
import { fontOf, type ParsedFont, viewOf } from './pdfkit.ts'
import { keepShapes } from './shaping.ts'

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
    keepShapes(doc.registerFont(name, viewOf(font) as never).font(name), name)
  }
}

function parse(file: string): ParsedFont {
  // Not imported: a bundler would put its own number of the module in the place of the path.
  const { createRequire } = process.getBuiltinModule('node:module')
  const home = dirname(createRequire(import.meta.url).resolve('@expo-google-fonts/inter/package.json'))
  const doc = new PDFDocument({ autoFirstPage: false })
  return fontOf(doc.font(readFileSync(join(home, file)))).font
}
