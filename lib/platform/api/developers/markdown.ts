// The pages for developers are written in Markdown: headings, paragraphs, lists, tables, code, links and emphasis. A
// heading may end in `{#id}`, and a line `::try name` hashes the place of a form; the Markdown that clients get has neither.

export type Inline =
  | { kind: 'text' | 'code' | 'strong'; text: string }
  | { kind: 'link'; text: string; href: string; isCode: boolean }

export type Block =
  | { kind: 'heading'; level: number; id: string; content: Inline[] }
  | { kind: 'paragraph'; content: Inline[] }
  /** `start` is the first number of an ordered list. */
  | { kind: 'list'; start?: number; items: Inline[][] }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'table'; header: Inline[][]; rows: Inline[][][] }
  | { kind: 'try'; call: string }

/** Parses a page. */
export function parseMarkdown(text: string): Block[] {
  const lines = text.split('\n')
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; ) {
    const [block, next] = blockAt(lines, at)
    if (block) blocks.push(block)
    at = next
  }
  return blocks
}

const ITEM = /^(-|\d+\.) (.*)/
/** Begins of blocks that end a paragraph. */
const OTHER = /^(#+ |```|\||::|$)/

function blockAt(lines: readonly string[], at: number): [block: Block | undefined, next: number] {
  const line = lines[at] ?? ''
  if (line === '') return [undefined, at + 1]
  const heading = /^(#+) (.*?)(?: \{#(.+)\})?$/.exec(line)
  if (heading) {
    const [, hashes = '', title = '', id = slugOf(title)] = heading
    return [{ kind: 'heading', level: hashes.length, id, content: inlineOf(title) }, at + 1]
  }
  if (line.startsWith('::try ')) return [{ kind: 'try', call: line.slice('::try '.length) }, at + 1]
  if (line.startsWith('```')) {
    const end = lines.indexOf('```', at + 1)
    return [{ kind: 'code', language: line.slice(3), text: lines.slice(at + 1, end).join('\n') }, end + 1]
  }
  const end = endOf(lines, at)
  const part = lines.slice(at, end)
  if (line.startsWith('|')) {
    const [header = [], , ...rows] = part.map(cellsOf)
    return [{ kind: 'table', header, rows }, end]
  }
  return [ITEM.test(line) ? listOf(part) : { kind: 'paragraph', content: inlineOf(part.join(' ')) }, end]
}

/** Returns the line after a table, a list or a paragraph. */
function endOf(lines: readonly string[], at: number): number {
  const isTable = lines[at]?.startsWith('|')
  let end = at + 1
  while (end < lines.length && (isTable ? lines[end]?.startsWith('|') : !OTHER.test(lines[end] ?? ''))) end++
  return end
}

function listOf(lines: readonly string[]): Block {
  const items: string[] = []
  for (const line of lines) {
    const [, , text] = ITEM.exec(line) ?? []
    if (text === undefined) items.push(`${items.pop()} ${line.trim()}`)
    else items.push(text)
  }
  const start = Number.parseInt(lines[0] ?? '', 10)
  return { kind: 'list', ...(start >= 0 ? { start } : {}), items: items.map(inlineOf) }
}

function cellsOf(row: string): Inline[][] {
  const cells = row.slice(1, row.lastIndexOf('|')).split(/(?<!\\)\|/)
  return cells.map((cell) => inlineOf(cell.trim().replaceAll('\\|', '|')))
}

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[(`?)([^\]]+?)\3\]\(([^)\s]+)\)/g

function inlineOf(text: string): Inline[] {
  const parts: Inline[] = []
  let at = 0
  for (const match of text.matchAll(INLINE)) {
    if (match.index > at) parts.push({ kind: 'text', text: text.slice(at, match.index) })
    const [whole, code, strong, tick, label = '', href = ''] = match
    if (code !== undefined) parts.push({ kind: 'code', text: code })
    else if (strong !== undefined) parts.push({ kind: 'strong', text: strong.replaceAll('`', '') })
    else parts.push({ kind: 'link', text: label, href, isCode: tick !== '' })
    at = match.index + whole.length
  }
  return at < text.length ? [...parts, { kind: 'text', text: text.slice(at) }] : parts
}

/** Returns the text of a heading, a paragraph or a cell without its hashes. */
export function plainText(content: readonly Inline[]): string {
  return content.map(({ text }) => text).join('')
}

/** Returns the Markdown that clients get, without ids and forms. */
export function exportedMarkdown(text: string): string {
  return text.replaceAll(/^(#+ .*?) \{#.+\}$/gm, '$1').replaceAll(/^::try .*\n\n?/gm, '')
}

/** Returns a text as a cell of a table. */
export function cellText(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|')
}

function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(/\s+/g, '-')
}
