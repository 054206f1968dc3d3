import PDFDocument from 'pdfkit'
import { expect, test } from 'vitest'
import { collectBytes } from './document.ts'
import { addFonts } from './fonts.ts'
import { fontOf, forgetting, joinContent, setMetadata, viewOf } from './pdfkit.ts'

// Each test checks an internal of pdfkit or fontkit that we use. If one fails after an update: find its replacement in
// the package, update lib/platform/pdf/pdfkit.ts, and compare an invoice with that of the previous version.

const doc = new PDFDocument({ autoFirstPage: false })
addFonts(doc)
const font = fontOf(doc)

test('doc._font is the current font: fonts.ts adds tabular digits and a cache', () => {
  doc.font('regular')
  const regular = fontOf(doc)
  doc.font('bold')
  expect(fontOf(doc)).not.toBe(regular)
  expect(regular.layout('ab').glyphs).toHaveLength(2)
})

test('font.layoutRun shapes the drawn text: a replacement changes the output', () => {
  const plain = new PDFDocument({ autoFirstPage: false })
  plain.registerFont('plain', viewOf(font.font) as never).font('plain')
  const internals = fontOf(plain)
  const before = plain.widthOfString('11')
  const shape = internals.layoutRun.bind(internals)
  internals.layoutRun = (text) => ({ ...shape(text), advanceWidth: 0 })
  expect(before).toBeGreaterThan(0)
  expect(internals.layout('1').glyphs.map(({ codePoints }) => codePoints)).toEqual([[0x31]])
  expect(plain.widthOfString('12')).toBe(0)
})

test('font._glyphs remembers glyphs: documents without a view of their own would share them', () => {
  const view = viewOf(font.font)
  const glyph = view.getGlyph(5, [0x61])
  expect(view._glyphs[5]).toBe(glyph)
  expect(view.getGlyph(5, [0x62])).toBe(glyph)
  expect(viewOf(font.font).getGlyph(5, [0x62])).not.toBe(glyph)
  const forgotten = forgetting({ ...font, font: view }, () => view.getGlyph(5, [0x62]))
  expect([forgotten.codePoints, view.getGlyph(5, [])]).toEqual([[0x62], glyph])
})

test('font.hasGlyphForCodePoint knows the characters that can be drawn: others become a square', () => {
  expect(font.font.hasGlyphForCodePoint(0x61)).toBe(true)
  expect(font.font.hasGlyphForCodePoint(0x8acb)).toBe(false)
})

test('font.subset and font.unicode map glyphs to characters in a document: readsBack uses them', () => {
  const document = new PDFDocument({ size: 'A4' })
  addFonts(document)
  document.text('é')
  const internals = fontOf(document)
  const [glyph] = internals.layout('é').glyphs
  expect(internals.unicode[internals.subset.mapping[glyph?.id ?? -1] ?? -1]).toEqual([0xe9])
})

test('doc._id, doc._addInfo and doc.appendXML write metadata: document.ts replaces them by its own, escaped', async () => {
  const named = new PDFDocument({ pdfVersion: '1.7', subset: 'PDF/A-2a', info: { Title: 'a & b' } })
  setMetadata(named, Buffer.alloc(16, 7), '<rdf:Description rdf:about="">ours</rdf:Description>')
  named.end()
  const chunks: Uint8Array[] = []
  for await (const chunk of named) chunks.push(chunk as Uint8Array)
  const file = Buffer.concat(chunks).toString('latin1')
  expect(file).toContain(`/ID [<${'07'.repeat(16)}>`)
  expect(file).toContain('>ours<')
  expect(file).not.toContain('a & b</rdf:li>')
})

test("doc.page.content.buffer holds a page's drawing operators: joined, they draw the same", async () => {
  const fileOf = async (isJoined: boolean) => {
    const document = new PDFDocument({
      bufferPages: true,
      compress: false,
      info: { CreationDate: new Date(0) },
    })
    setMetadata(document, Buffer.alloc(16, 7), '')
    addFonts(document)
    document.font('regular').text('one', 50, 50)
    const { content } = document.page as unknown as { content: { buffer: Uint8Array[] } }
    expect(content.buffer.length).toBeGreaterThan(1)
    if (isJoined) joinContent(document)
    if (isJoined) expect(content.buffer).toHaveLength(1)
    document.addPage()
    document.switchToPage(0)
    document.text('two', 50, 80)
    const file = collectBytes(document)
    document.end()
    return file
  }
  expect(Buffer.compare(await fileOf(true), await fileOf(false))).toBe(0)
})
