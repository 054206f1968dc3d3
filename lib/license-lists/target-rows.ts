// Rows of a spreadsheet, as they come over the clipboard or in a file. Plain code: the browser runs it too.

/** A row and the line on which it begins, from 1. Its cells are trimmed. */
export type TextRow = { line: number; cells: string[] }

const SEPARATORS = ['\t', ';', ','] as const
type Separator = (typeof SEPARATORS)[number]

const QUOTED = '[ ]*"([^"]*(?:""[^"]*)*)"'
const CELLS: Record<Separator, { quoted: RegExp; plain: RegExp }> = {
  '\t': { quoted: new RegExp(`${QUOTED}[^\\t\\r\\n]*`, 'y'), plain: /[^\t\r\n]*/y },
  ';': { quoted: new RegExp(`${QUOTED}[^;\\r\\n]*`, 'y'), plain: /[^;\r\n]*/y },
  ',': { quoted: new RegExp(`${QUOTED}[^,\\r\\n]*`, 'y'), plain: /[^,\r\n]*/y },
}

/**
 * The rows of a text whose cells are parted by tabs, semicolons or commas: by what its first row is parted by, and
 * a row that has none of that by its own. Cells may stand in double quotes. Blank rows are left out. A quote that
 * never ends is kept in its cell.
 */
export function readTextRows(text: string): TextRow[] {
  const rows: TextRow[] = []
  let usual: Separator | undefined
  let line = 1
  for (let at = text.startsWith('\ufeff') ? 1 : 0; at < text.length; ) {
    const own = separatorsIn(text, at)
    const separator = usual && own.includes(usual) ? usual : (own[0] ?? usual ?? ',')
    const { cells, end } = cellsAt(text, at, separator)
    if (cells.some((cell) => cell !== '')) {
      usual ??= own[0]
      rows.push({ line, cells })
    }
    line += text.slice(at, end).match(/\r\n|\r|\n/g)?.length ?? 0
    at = end
  }
  return rows
}

/** Those that the line at `at` has outside of quotes, the likelier ones first. */
function separatorsIn(text: string, at: number): Separator[] {
  const rest = /[^\r\n]*/y
  rest.lastIndex = at
  const line = rest.exec(text)?.[0].replace(/"[^"]*"/g, '') ?? ''
  return SEPARATORS.filter((separator) => line.includes(separator))
}

/** The cells of the row at `at`, and where the next one begins. */
function cellsAt(text: string, at: number, separator: Separator): { cells: string[]; end: number } {
  const cells: string[] = []
  for (let from = at; ; from++) {
    const { quoted, plain } = CELLS[separator]
    quoted.lastIndex = from
    plain.lastIndex = from
    const inQuotes = quoted.exec(text)
    cells.push((inQuotes?.[1]?.replaceAll('""', '"') ?? plain.exec(text)?.[0] ?? '').trim())
    from = inQuotes ? quoted.lastIndex : plain.lastIndex
    if (text[from] === separator) continue
    return { cells, end: from + (text.startsWith('\r\n', from) ? 2 : 1) }
  }
}
