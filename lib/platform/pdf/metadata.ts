import 'server-only'
import { setName } from './pdfkit.ts'
import { printable } from './text.ts'

type About = { title: string; author: string; date: Date; id: Buffer }

/** Text as both places can say it that name a document: its information dictionary and its XML. */
export function metadataText(text: string): string {
  return printable(text)
    .toWellFormed()
    .replace(/[\ufffe\uffff]/g, '')
    .trim()
}

/**
 * Says in XML (XMP) what the document says of itself elsewhere, as archives want it (PDF/A, ISO 19005-2). The
 * package would put title and author into it without escaping them, and an id that is not of the content.
 */
export function nameContent(doc: PDFKit.PDFDocument, { title, author, date, id }: About): void {
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
  setName(doc, id, xml)
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (char) => ENTITIES[char] ?? char)
}
