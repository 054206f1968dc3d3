import { describe, expect, test } from 'vitest'
import { contentOf } from './content.ts'

const contentOfText = (text: string, encoding: BufferEncoding = 'utf8') =>
  contentOf(Buffer.from(text, encoding))

describe('The content identifies', () => {
  test.each([
    ['a PDF', '%PDF-1.4\n…\n%%EOF\n'],
    ['a PDF with bytes behind its end', `%PDF-2.0\n%%EOF\n${' '.repeat(1000)}`],
  ])('%s', (_, text) => expect(contentOfText(text)).toEqual({ kind: 'original-pdf' }))

  test.each([
    ['an element', '<Invoice/>'],
    ['a declaration', '<?xml version="1.0" encoding="UTF-8"?>\n<Invoice xmlns="urn:x">ü</Invoice>\n'],
    ['a byte order mark', '\ufeff<?xml version="1.0"?><a></a>'],
    ['comments and instructions', '<!-- <x> --><?style a="b"?>\n<rsm:Invoice >…</rsm:Invoice\n>'],
    ['an element in letters of another script', '<Счёт>1</Счёт>'],
  ])('XML with %s', (_, text) => expect(contentOfText(text)).toEqual({ kind: 'original-xml' }))

  test('XML of another encoding', () => {
    expect(contentOfText('<?xml version="1.0" encoding="ISO-8859-1"?><a>ü</a>', 'latin1')).toEqual({
      kind: 'original-xml',
    })
    expect(contentOfText('\ufeff<?xml version="1.0" encoding="UTF-16"?><a>ü</a>', 'utf16le')).toEqual({
      kind: 'original-xml',
    })
  })
})

test.each([
  ['', 'is empty'],
  ['%PDF-1.4\nhalf of it', 'is a PDF that is cut off'],
  [' %PDF-1.4\n%%EOF', 'is neither PDF nor XML'],
  ['PK\u0003\u0004', 'is neither PDF nor XML'],
  ['{"a":1}', 'is neither PDF nor XML'],
  ['<?xml version="1.0"?><Invoice><Line>', 'is XML that is cut off'],
  ['<Invoice></Invoice', 'is XML that is cut off'],
  ['<Invoice/> and more', 'is XML that is cut off'],
  ['<?xml version="1.0"', 'is not well-formed XML'],
  ['<!-- never closed <a/>', 'is not well-formed XML'],
  ['<?xml version="1.0"?>text<a/>', 'is not well-formed XML'],
  ['< a></a>', 'is not well-formed XML'],
  ['<![CDATA[x]]>', 'is not well-formed XML'],
  ['<html xmlns="http://www.w3.org/1999/xhtml"><script>1</script></html>', 'is a web page'],
  ['<x:HTML></x:HTML>', 'is a web page'],
  [
    '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    'has a document type (DOCTYPE), which an invoice in XML has not',
  ],
])('%j %s', (text, error) => {
  expect(contentOfText(text)).toEqual({ error })
})

test('A hostile document is checked in linear time', () => {
  for (const text of ['<!---->', '<?a?>', '<a ', '</a', ' '])
    expect(contentOfText(`<a>${text.repeat(1_000_000)}`)).toHaveProperty('error')
  expect(contentOfText(`${'<!---->'.repeat(20_000)}<a/>`)).toEqual({ kind: 'original-xml' })
})
