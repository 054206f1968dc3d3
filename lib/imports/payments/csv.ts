import { readRows, separatedByCommas } from '../csv-rows.ts'
import { ImportError } from '../import-error.ts'
import type { BankFile } from './transaction.ts'

const REQUIRED = ['date', 'amount', 'currency', 'reference'] as const
const OPTIONAL = ['payer', 'endToEndId', 'remittance', 'invoice', 'method'] as const
type Column = (typeof REQUIRED)[number] | (typeof OPTIONAL)[number]

const MAX_ROWS = 200_000

/**
 * Reads payments from CSV with a header: date, amount, currency and reference, and optionally payer, endToEndId,
 * remittance, invoice (several with a bar between them) and method. Other columns are ignored.
 * @throws ImportError that names the line where the text is another file
 */
export async function readPaymentsCsv(text: AsyncIterable<string>, signal?: AbortSignal): Promise<BankFile> {
  const file: BankFile = { transactions: [], leftOut: [] }
  let columns: Map<Column, number> | undefined
  const countNamed = (names: string[]) => names.filter((name) => columnNamed(name)).length
  await readRows(
    separatedByCommas(text, countNamed),
    (row, line) => {
      if (!columns) {
        columns = columnsOf(row)
        return
      }
      if (file.transactions.length >= MAX_ROWS)
        throw new ImportError([{ line, reason: `is beyond ${MAX_ROWS} rows` }])
      const at = columns
      const cell = (column: Column) => row[at.get(column) ?? -1]?.trim() || undefined
      const missing = REQUIRED.filter((column) => cell(column) === undefined)
      if (missing.length > 0) throw new ImportError([{ line, reason: `has no ${missing.join(', ')}` }])
      file.transactions.push({
        reference: cell('reference') ?? '',
        paidOn: cell('date') ?? '',
        amount: cell('amount') ?? '',
        currency: cell('currency')?.toUpperCase() ?? '',
        payer: cell('payer'),
        endToEndId: cell('endToEndId'),
        remittance: cell('remittance'),
        documentNumbers: cell('invoice')
          ?.split('|')
          .map((number) => number.trim()),
        method: cell('method'),
        location: `line ${line}`,
        line,
      })
    },
    signal,
  )
  if (!columns) throw new ImportError([{ reason: 'is empty' }])
  return file
}

function columnsOf(header: readonly string[]): Map<Column, number> {
  const columns = new Map<Column, number>()
  for (const [index, name] of header.entries()) {
    const column = columnNamed(name)
    if (column && columns.has(column))
      throw new ImportError([{ line: 1, reason: `has the column ${column} twice` }])
    if (column) columns.set(column, index)
  }
  const missing = REQUIRED.filter((column) => !columns.has(column))
  if (missing.length > 0) throw new ImportError([{ line: 1, reason: `has no column ${missing.join(', ')}` }])
  return columns
}

function columnNamed(name: string): Column | undefined {
  const plain = name.toLowerCase().replaceAll(/[\s_-]/g, '')
  return [...REQUIRED, ...OPTIONAL].find((column) => column.toLowerCase() === plain)
}
