import { inflateSync } from 'node:zlib'

/** Run of text on a page: the start of its line, in points from the bottom left, and its text. */
export type Run = { text: string; x: number; y: number; size: number }

/**
 * Extracts the text of a PDF as a viewer does for copying: maps the content streams' glyphs by each font's ToUnicode
 * map, or takes the replacement text (ActualText). Supports the subset of the format that we write.
 */
export function readPages(bytes: Uint8Array): Run[][] {
  const objects = objectsOf(Buffer.from(bytes))
  const object = (id: string | undefined) => objects.get(id ?? '') ?? { text: '', stream: '' }
  const all = [...objects.values()]
  const tree = all.find(({ text }) => text.includes('/Type /Pages'))?.text ?? ''
  const kids = /\/Kids \[([^\]]*)\]/.exec(tree)?.[1] ?? ''
  return [...kids.matchAll(/(\d+) 0 R/g)].map(([, id]) => {
    const page = object(id).text
    const resources = object(/\/Resources (\d+)/.exec(page)?.[1]).text
    const fonts = new Map<string, Map<string, string>>()
    for (const [, name = '', ref] of resources.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const map = object(/\/ToUnicode (\d+)/.exec(object(ref).text)?.[1]).stream
      fonts.set(name, unicodeOf(map))
    }
    return runsOf(object(/\/Contents (\d+)/.exec(page)?.[1]).stream, fonts)
  })
}

/** Returns a file's objects by number: the text before the stream, and the unpacked stream. */
export function objectsOf(file: Buffer): Map<string, { text: string; stream: string }> {
  const objects = new Map<string, { text: string; stream: string }>()
  const source = file.toString('latin1')
  // Object offsets come from the cross-reference table, since streams may contain anything.
  for (const [, offset] of source.slice(source.lastIndexOf('\nxref\n')).matchAll(/^(\d{10}) 00000 n $/gm)) {
    const at = Number(offset)
    const id = /^(\d+) 0 obj/.exec(source.slice(at, at + 20))?.[1] ?? ''
    const text = source.slice(at, source.indexOf('\nendobj', at))
    const cut = text.indexOf('\nstream\n')
    const length = Number(/\/Length (\d+)/.exec(text)?.[1])
    const start = at + cut + '\nstream\n'.length
    const raw = cut < 0 ? undefined : file.subarray(start, start + length)
    const packed = raw && text.slice(0, cut).includes('/FlateDecode')
    const stream = raw ? (packed ? inflateSync(raw) : raw).toString('latin1') : ''
    objects.set(id, { text: cut < 0 ? text : text.slice(0, cut), stream })
  }
  return objects
}

function unicodeOf(map: string): Map<string, string> {
  const codePoints = new Map<string, string>()
  for (const [, first = '', list = ''] of map.matchAll(/<(\w{4})> <\w{4}> \[(.*?)\]/gs)) {
    for (const [index, [, codes = '']] of [...list.matchAll(/<([\w ]*)>/g)].entries()) {
      const glyph = (Number.parseInt(first, 16) + index).toString(16).padStart(4, '0')
      const units = codes.split(' ').map((code) => Number.parseInt(code, 16))
      codePoints.set(glyph, String.fromCharCode(...units))
    }
  }
  return codePoints
}

/**
 * Returns one run per piece of marked content, which may consist of several strokes, such as a letter and its accent.
 */
function runsOf(content: string, fonts: Map<string, Map<string, string>>): Run[] {
  return content.split(/^EMC$/m).flatMap((piece): Run[] => {
    const position = /1 0 0 1 ([-\d.]+) ([-\d.]+) Tm/.exec(piece)
    if (!position) return []
    let [font, size] = ['', 0]
    let runText = ''
    for (const [, name, points, glyphs = ''] of piece.matchAll(/\/(F\d+) ([\d.]+) Tf|\[([^\]]*)\] TJ/g)) {
      if (name !== undefined) [font, size] = [name, Number(points)]
      const glyphCodes = [...glyphs.matchAll(/<(\w+)>/g)].flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? [])
      runText += glyphCodes.map((glyph) => fonts.get(font)?.get(glyph)).join('')
    }
    const meant = /\/ActualText \(((?:\\[\s\S]|[^\\)])*)\)/.exec(piece)?.[1]
    const text = meant === undefined ? runText : textOf(meant)
    return [{ text, x: Number(position[1]), y: Number(position[2]), size }]
  })
}

/** Decodes a PDF string: UTF-16 with a byte order mark, or else one byte per character. */
function textOf(literal: string): string {
  const named: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }
  const text = literal.replace(/\\([\s\S])/g, (_, char) => named[char] ?? char)
  if (!text.startsWith('\xfe\xff')) return text
  return Buffer.from(text, 'latin1').subarray(2).swap16().toString('utf16le')
}
