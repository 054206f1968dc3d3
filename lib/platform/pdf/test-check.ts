import { objectsOf } from './test-read.ts'

/** Names of PDF actions, attachments and hidden content. */
const FORBIDDEN =
  /\/(JavaScript|JS|AA|OpenAction|Launch|URI|GoTo\w*|SubmitForm|ImportData|Rendition|Movie|Sound|RichMedia|XFA|AcroForm|Annots|EmbeddedFiles?|AF|Encrypt|Perms|Helvetica|Type1)\b/g

/**
 * Returns the errors of a PDF of ours, in a few words each: of its cross-reference table, its references, active
 * content, and the rules for archives (ISO 19005-2) that can be checked without a validator.
 */
export function pdfErrors(bytes: Uint8Array): string[] {
  const file = Buffer.from(bytes)
  const source = file.toString('latin1')
  const objects = objectsOf(file)
  // Strings contain the customers' texts: only names outside of strings are meaningful.
  const all = [...objects.values()].map(({ text }) => withoutStrings(text)).join('\n')
  const trailer = withoutStrings(source.slice(source.lastIndexOf('\ntrailer\n')))
  return [
    ...tableErrors(source, objects),
    ...[...`${all}${trailer}`.matchAll(FORBIDDEN)].map(([name]) => `has ${name}`),
    ...archiveErrors(objects, all, trailer),
    ...[...objects.values()].flatMap(({ text, stream }) =>
      /\/(Type|Subtype|Length1)|begincmap/.test(text + stream.slice(0, 200)) ? [] : contentErrors(stream),
    ),
  ]
}

type Objects = ReturnType<typeof objectsOf>

function tableErrors(source: string, objects: Objects): string[] {
  const errors: string[] = []
  const check = (holds: boolean, error: string) => holds || errors.push(error)
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(source)?.[1] ?? -1)
  check(/^%PDF-1\.7\n%[\x80-\xff]{4}\n/.test(source), 'has no head')
  check(source.startsWith('xref\n0 ', start), 'its table is elsewhere')
  const size = Number(/\/Size (\d+)/.exec(source.slice(start))?.[1])
  check(size === objects.size + 1 && !objects.has(''), 'its table leads elsewhere')
  check(source.split('\n%%EOF').length === 2, 'was added to')
  for (const [id, { text }] of objects) {
    for (const [, other = ''] of withoutStrings(text).matchAll(/\b(\d+) 0 R/g))
      check(objects.has(other), `object ${id} names ${other}, which is not there`)
    if (text.includes('/Length ')) {
      const at = source.indexOf(`\n${id} 0 obj\n`)
      const from = source.indexOf('\nstream\n', at) + 8
      const end = from + Number(/\/Length (\d+)/.exec(text)?.[1])
      check(
        /^\n?endstream/.test(source.slice(end, end + 11)),
        `the stream of ${id} is not as long as it says`,
      )
    }
  }
  return errors
}

function archiveErrors(objects: Objects, all: string, trailer: string): string[] {
  const metadata = [...objects.values()].find(({ text }) => text.includes('/Type /Metadata'))
  const xml = Buffer.from(metadata?.stream ?? '', 'latin1').toString('utf8')
  const fonts = all.match(/\/Subtype \/Type0/g)?.length ?? 0
  const requirements: [boolean, string][] = [
    [/\/Marked true/.test(all), 'is not tagged'],
    [/\/Lang\b/.test(all), 'names no language'],
    [/\/StructTreeRoot \d+/.test(all), 'has no structure'],
    [/\/OutputIntents \[\d+ 0 R\]/.test(all) && /\/S \/GTS_PDFA1/.test(all), 'has no output intent'],
    [/\/ID \[<(\w{32})> <\1>\]/.test(trailer), 'has no id'],
    [fonts > 0 && all.match(/\/FontFile2 /g)?.length === fonts, 'has a font that is not embedded'],
    [all.match(/\/ToUnicode /g)?.length === fonts, 'has a font that cannot be read'],
    [/<pdfaid:part>2</.test(xml) && /<pdfaid:conformance>A</.test(xml), 'does not say that it is PDF/A'],
    [isWellFormed(xml), 'has XML that is not well-formed'],
  ]
  return requirements.flatMap(([holds, error]) => (holds ? [] : [error]))
}

/** Returns errors of the content: text outside of marked content, and unbalanced markers. */
function contentErrors(content: string): string[] {
  const errors = new Set<string>()
  let depth = 0
  for (const line of withoutStrings(content).split('\n')) {
    if (/\b(BDC|BMC)$/.test(line)) depth += 1
    if (line === 'EMC') depth -= 1
    if (/\bTJ$/.test(line) && depth !== 1) errors.add('has text outside of its structure')
  }
  if (depth !== 0) errors.add('has marked content without an end')
  return [...errors]
}

/** Returns PDF source without strings in parentheses or angle brackets, except hexadecimal ids in the trailer. */
function withoutStrings(text: string): string {
  return text.replace(/\((?:\\[\s\S]|[^\\()])*\)/g, '()')
}

function isWellFormed(xml: string): boolean {
  const open: string[] = []
  const bare = xml.replace(/^<\?xpacket begin="\ufeff"[^?]*\?>|<\?xpacket end="w"\?>$/g, '')
  for (const [, close, name = '', self] of bare.matchAll(/<(\/?)([\w:]+)(?:\s+[\w:]+="[^"<]*")*\s*(\/?)>/g)) {
    if (close) {
      if (open.pop() !== name) return false
    } else if (!self) open.push(name)
  }
  const rest = bare.replace(/<\/?[\w:]+(?:\s+[\w:]+="[^"<]*")*\s*\/?>/g, '')
  return open.length === 0 && !/<|&(?!(amp|lt|gt);)|\]\]>/.test(rest)
}
