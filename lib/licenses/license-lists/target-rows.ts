import { CsvError, parse } from 'csv-parse/browser/esm/sync'

// Rows of a spreadsheet, as they come over the clipboard or in a file. A page loads it when a list is read.

/** A row and the line on which it begins, from 1. Its cells are trimmed. */
export type TextRow = { line: number; cells: string[] }

/** Cells and the text that they stand in, with its line break. */
type Read = { record: string[]; raw: string }

/** Behind so many faults of quotes all are taken for letters: each fault means to begin anew. */
const MOST_FAULTS = 20

/** The likelier ones first. */
const SEPARATORS = ['\t', ';', ',']

/**
 * The rows of a text whose cells are parted by tabs, semicolons or commas: by what its first row is parted by, and
 * a row that has none of that by its own. Cells may stand in double quotes. Blank rows are left out. Where quotes
 * do not fit, those of that line are taken for letters, so that nothing behind it is lost.
 */
export function readTextRows(given: string): TextRow[] {
  // The package counts and repeats line breaks of one character only.
  const text = given.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
  const filled = text.split('\n').filter((row) => /[^\s;,]/.test(row))
  const usual = filled.flatMap(separatorsIn)[0] ?? ','
  const rows: TextRow[] = []
  let line = 1
  for (const { record, raw } of readRows(text, usual)) {
    const own = separatorsIn(raw)
    const [other] = own.includes(usual) ? [] : own
    const read = (other && readRows(raw, other)[0]?.record) || record
    // The package leaves blanks within quotes.
    const cells = read.map((cell) => cell.trim())
    if (cells.some((cell) => cell !== '')) rows.push({ line, cells })
    line += raw.split('\n').length - 1
  }
  return rows
}

/** What a row is parted by, outside of quotes. */
function separatorsIn(row: string): string[] {
  const bare = row.replace(/"[^"]*"/g, '')
  return SEPARATORS.filter((separator) => bare.includes(separator))
}

function readRows(text: string, delimiter: string): Read[] {
  const rows: Read[] = []
  const options = { delimiter, record_delimiter: '\n', relax_column_count: true, trim: true, raw: true }
  let rest = text
  let faults = 0
  // Told of each row, since a fault would take all that were read before it. With `raw` a row is more than its cells.
  const take = (read: unknown) => {
    const row = read as Read
    rest = rest.slice(row.raw.length)
    rows.push(row)
    return null
  }
  while (rest !== '') {
    try {
      parse(rest, { ...options, relax_quotes: true, on_record: take })
      return rows
    } catch (error) {
      if (!(error instanceof CsvError)) throw error
      faults += 1
      const [row = ''] = faults > MOST_FAULTS ? [rest] : (/^[^\n]*\n?/.exec(rest) ?? [])
      parse(row, { ...options, quote: false, on_record: take })
    }
  }
  return rows
}
