import { pipeline } from 'node:stream/promises'
import { type Info, parse } from 'csv-parse'
import { ImportError } from './import-error.ts'

/** Far above any row, far below the memory limit: an unclosed quote would read the rest of the file as one row. */
const MAX_ROW_LENGTH = 1024 * 1024

/** Called with a row and its first line in the file, from 1. May throw to stop. */
export type RowSink = (row: string[], line: number) => void

/**
 * Reads the rows of CSV in order, one at a time, without blank lines.
 * @param delimiter between the columns; a comma by default
 * @throws ImportError where the text is not CSV
 */
export async function readRows(
  text: AsyncIterable<string>,
  sink: RowSink,
  signal?: AbortSignal,
  delimiter = ',',
): Promise<void> {
  let line = 1
  let counted = 0
  const onRow = (row: string[], { lines }: Info) => {
    const start = line
    // The parser counts a CRLF inside quotes twice.
    line += lines - counted === 1 ? 1 : 1 + row.reduce((sum, cell) => sum + breaksIn(cell), 0)
    counted = lines
    if (row.length > 1 || row[0] !== '') sink(row, start)
    return null
  }
  const parser = parse({
    delimiter,
    relax_column_count: true,
    max_record_size: MAX_ROW_LENGTH,
    on_record: onRow,
  })
  parser.resume()
  try {
    await pipeline(text, parser, signal ? { signal } : {})
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (!code.startsWith('CSV_')) throw error
    throw new ImportError([{ line, reason: REASONS[code] ?? 'is not well-formed CSV: see its quotes' }])
  }
}

const REASONS: Record<string, string> = {
  CSV_MAX_RECORD_SIZE: 'the row that begins here is longer than 1 MiB: perhaps a quoted text does not end',
  CSV_QUOTE_NOT_CLOSED: 'a quoted text that begins here does not end',
}

function breaksIn(cell: string): number {
  return cell.split(/\r\n|\r|\n/).length - 1
}

const OTHERS: Record<string, string> = { ';': 'semicolons', '\t': 'tabs', '|': 'bars' }

/** Longer than any header. */
const MAX_HEADER_LENGTH = 256 * 1024

/**
 * Passes the text through, but checks the first line before the rest is read as CSV, whose errors about quotes and
 * columns would be misleading.
 * @param countColumns returns how many of some names are columns of the file
 * @throws ImportError where another separator than commas is used
 */
export async function* separatedByCommas(
  text: AsyncIterable<string>,
  countColumns: (names: string[]) => number,
): AsyncGenerator<string> {
  let header: string | undefined = ''
  for await (const chunk of text) {
    if (header === undefined) yield chunk
    else {
      header += chunk
      if (!/\S[^\r\n]*[\r\n]/.test(header) && header.length < MAX_HEADER_LENGTH) continue
      check(header, countColumns)
      yield header
      header = undefined
    }
  }
  if (!header) return
  check(header, countColumns)
  yield header
}

function check(header: string, countColumns: (names: string[]) => number): void {
  const line = header.trimStart().split(/[\r\n]/, 1)[0] ?? ''
  const countWith = (separator: string) =>
    countColumns(line.split(separator).map((name) => name.trim().replace(/^"(.*)"$/, '$1')))
  const commas = countWith(',')
  for (const [separator, name] of Object.entries(OTHERS))
    if (countWith(separator) > Math.max(1, commas))
      throw new ImportError([
        {
          reason: `This file is separated by ${name}; save it as CSV with commas between the columns and points in the numbers.`,
        },
      ])
}
