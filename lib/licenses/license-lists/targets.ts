import { CsvError, parse } from 'csv-parse/browser/esm/sync'
import { MAX_QUANTITY } from '#lib/licenses/assets/quantity-rule.ts'
import { parseWholeNumber } from '#lib/platform/values/numbers.ts'
import { MAX_TARGETS, type Target } from './rules.ts'

/** Error in a line; without `line`, in the list. */
export type TargetError = { line?: number; reason: string }

export type TargetList = {
  targets: Target[]
  errors: TargetError[]
  /** Rows that name an asset and, in a column with a name, no total: nothing is to be done there. */
  skipped: number
}

type Columns = { id: number; total: number; count: number; named: boolean }
const UNNAMED: Columns = { id: 0, total: 1, count: 2, named: false }

const IDS = ['assetid', 'id', 'asset']
/** The likelier ones first: an export to which a column `target` was added has its present totals too. */
const TOTALS = [
  'target',
  'newtotal',
  'total',
  'to',
  'quantity',
  'licenses',
  'licences',
  'licenseqty',
  'seats',
]
const MAX_ID_LENGTH = 300

/**
 * Reads a list of totals, pasted or from a file: asset ID and total in each row, separated by tab, comma or semicolon.
 * A first row may name its columns, and further columns are then allowed. A list with errors must not be applied.
 */
export function readTargets(text: string): TargetList {
  const list: TargetList = { targets: [], errors: [], skipped: 0 }
  const [first, ...rest] = readTextRows(text)
  const header = first && headerOf(first.cells)
  const rows = header || !first ? rest : [first, ...rest]
  if (header && header.total === -1) {
    const reason = 'no column is named for the total: call it "total"'
    return { ...list, errors: [{ line: first.line, reason }] }
  }
  const lineOf = new Map<string, number>()
  for (const row of rows) readRow(row, header ?? UNNAMED, list, lineOf)
  const { length } = list.targets
  if (length > MAX_TARGETS) {
    const reason = `The list has ${length.toLocaleString('en')} rows, and at most ${MAX_TARGETS} assets can be changed at once.`
    return { ...list, targets: [], errors: [{ reason }] }
  }
  if (length === 0 && list.errors.length === 0)
    list.errors.push({ reason: 'The list has no row with a total.' })
  return list
}

function readRow(row: TextRow, columns: Columns, list: TargetList, lineOf: Map<string, number>): void {
  const { line, cells } = row
  const [assetId = '', total = ''] = [cells[columns.id], cells[columns.total]]
  if (columns.named && assetId !== '' && (total === '' || total.toUpperCase() === 'N/A')) {
    list.skipped += 1
    return
  }
  const quantity = parseWholeNumber(total)
  const reason = validateTarget(assetId, total, quantity) ?? tooMany(cells, columns)
  const before = lineOf.get(assetId)
  if (assetId !== '') lineOf.set(assetId, before ?? line)
  if (before !== undefined)
    list.errors.push({ line, reason: `${truncated(assetId)} is on line ${before} already` })
  else if (reason !== undefined) list.errors.push({ line, reason })
  else if (quantity !== undefined) list.targets.push({ line, assetId, quantity })
}

function validateTarget(assetId: string, total: string, quantity: number | undefined): string | undefined {
  if ([assetId, total].some((cell) => cell.startsWith('"') || /[\r\n]/.test(cell)))
    return 'a quoted text that begins here does not end on this line'
  if (assetId === '') return 'no asset is named'
  if (assetId.length > MAX_ID_LENGTH) return `${truncated(assetId)} is too long for an asset ID`
  if (total === '')
    return `no total follows ${truncated(assetId)}: separate ID and total with a tab, comma or semicolon`
  if (quantity === undefined)
    return `${truncated(total)} is not a whole number: give the total after the change`
  if (quantity > MAX_QUANTITY) return `${truncated(total)} is more than ${MAX_QUANTITY.toLocaleString('en')}`
  return undefined
}

/** Rejects an extra column, which could be anything, including the rest of `1,200`. */
function tooMany(cells: string[], { count, named }: Columns): string | undefined {
  if (cells.slice(count).every((cell) => cell === '')) return undefined
  const format = named
    ? 'as the first line does'
    : 'asset ID and total, or name the columns in the first line'
  return `there are ${cells.length} columns: give ${count}, ${format}`
}

/** Returns the columns that a first row names; undefined for a row of data. */
function headerOf(cells: string[]): Columns | undefined {
  const count = cells.length
  const names = cells.map((cell) => cell.toLowerCase().replace(/[^a-z0-9]/g, ''))
  const id = names.findIndex((name) => IDS.includes(name))
  const total = names.indexOf(TOTALS.find((name) => names.includes(name)) ?? '?')
  if (id !== -1 && total !== -1) return { id, total, count, named: true }
  // Two words in another language.
  const isText = count === 2 && cells.every((cell) => cell !== '' && !/[\d-]/.test(cell))
  if (isText || (id === 0 && count === 2 && parseWholeNumber(cells[1] ?? '') === undefined)) {
    return { id: 0, total: 1, count, named: true }
  }
  return id === -1 || count === 2 ? undefined : { id, total: -1, count, named: true }
}

function truncated(text: string): string {
  return `"${text.length > 60 ? `${text.slice(0, 59)}…` : text}"`
}

// Rows of a spreadsheet, from the clipboard or a file.

/** Row with its first line, from 1. Its cells are trimmed. */
type TextRow = { line: number; cells: string[] }

/** Cells with their source text including the line break. */
type Read = { record: string[]; raw: string }

/** Most quote errors before all quotes are read as letters: each error restarts the parser. */
const MAX_ERRORS = 20

/** The likelier ones first. */
const SEPARATORS = ['\t', ';', ',']

/**
 * Reads rows of a text with tabs, semicolons or commas as separators: the first row's separator, or a row's own where
 * the row contains none of the first row's. Cells may be in double quotes. Blank rows are skipped. In a line with wrong
 * quotes the quotes are read as letters, so that nothing after them is lost.
 */
function readTextRows(input: string): TextRow[] {
  // The package counts and repeats line breaks of one character only.
  const text = input.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
  const filled = text.split('\n').filter((row) => /[^\s;,]/.test(row))
  const usual = filled.flatMap(separatorsIn)[0] ?? ','
  const rows: TextRow[] = []
  let line = 1
  for (const { record, raw } of readRows(text, usual)) {
    const separators = separatorsIn(raw)
    const [other] = separators.includes(usual) ? [] : separators
    const read = (other && readRows(raw, other)[0]?.record) || record
    // The package keeps blanks within quotes.
    const cells = read.map((cell) => cell.trim())
    if (cells.some((cell) => cell !== '')) rows.push({ line, cells })
    line += raw.split('\n').length - 1
  }
  return rows
}

/** Returns the separators in a row, outside of quotes. */
function separatorsIn(row: string): string[] {
  const bare = row.replace(/"[^"]*"/g, '')
  return SEPARATORS.filter((separator) => bare.includes(separator))
}

function readRows(text: string, delimiter: string): Read[] {
  const rows: Read[] = []
  const options = { delimiter, record_delimiter: '\n', relax_column_count: true, trim: true, raw: true }
  let rest = text
  let errorCount = 0
  // Called per row, since an error would discard all rows read before. With `raw` a row contains more than its cells.
  const addRow = (read: unknown) => {
    const row = read as Read
    rest = rest.slice(row.raw.length)
    rows.push(row)
    return null
  }
  while (rest !== '') {
    try {
      parse(rest, { ...options, relax_quotes: true, on_record: addRow })
      return rows
    } catch (error) {
      if (!(error instanceof CsvError)) throw error
      errorCount += 1
      const [row = ''] = errorCount > MAX_ERRORS ? [rest] : (/^[^\n]*\n?/.exec(rest) ?? [])
      parse(row, { ...options, quote: false, on_record: addRow })
    }
  }
  return rows
}
