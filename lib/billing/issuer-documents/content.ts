import type { IssuerDocumentKind } from '#lib/billing/invoice-files/rules.ts'

/** Bytes of one document. */
export const MAX_BYTES = 10 * 1024 * 1024

/**
 * Returns the kind of an issuer's document by its content, whatever its name; or the reason why the content is neither
 * kind.
 */
export function contentOf(bytes: Buffer): { kind: IssuerDocumentKind } | { error: string } {
  if (bytes.length === 0) return { error: 'is empty' }
  if (/^%PDF-\d/.test(bytes.toString('latin1', 0, 6))) {
    const end = bytes.subarray(-4096)
    return end.includes('%%EOF') ? { kind: 'original-pdf' } : { error: 'is a PDF that is cut off' }
  }
  const text = textOf(bytes)
  if (!text.trimStart().startsWith('<')) return { error: 'is neither PDF nor XML' }
  const error = xmlError(text)
  return error ? { error } : { kind: 'original-xml' }
}

/** Decodes bytes for a check of the markup only: the text between may be in any encoding. */
function textOf(bytes: Buffer): string {
  const [one, two] = bytes
  if (one === 0xff && two === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (one === 0xfe && two === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  return bytes.toString('latin1').replace(/^\u00ef\u00bb\u00bf/, '')
}

/**
 * Returns the error at the beginning or end of XML. The document is stored unchanged, for the customer's own software.
 */
function xmlError(text: string): string | undefined {
  const at = rootAt(text)
  if (at === undefined || text.startsWith('<!', at))
    return text.startsWith('<!DOCTYPE', at)
      ? 'has a document type (DOCTYPE), which an invoice in XML has not'
      : 'is not well-formed XML'
  const name = /^<([A-Za-z_\u0080-\uffff][\w.:\u0080-\uffff-]*)(?=[\s/>])/.exec(text.slice(at, at + 300))?.[1]
  if (name === undefined) return 'is not well-formed XML'
  if (/(^|:)html$/i.test(name)) return 'is a web page'
  const end = text.lastIndexOf(`</${name}`)
  if (end < 0) return /^<[^<>]*\/>\s*$/.test(text.slice(at)) ? undefined : 'is XML that is cut off'
  const rest = text.slice(end + name.length + 2)
  return /^\s*>/.test(rest) ? undefined : 'is XML that is cut off'
}

/** Returns the offset of the root element, after declaration, comments and instructions. */
function rootAt(text: string): number | undefined {
  for (let at = 0; ; ) {
    at += text.slice(at).search(/\S|$/)
    const [open, close] = text.startsWith('<!--', at) ? ['<!--', '-->'] : ['<?', '?>']
    if (!text.startsWith(open, at)) return text[at] === '<' ? at : undefined
    const end = text.indexOf(close, at + open.length)
    if (end < 0) return undefined
    at = end + close.length
  }
}
