import { textError } from '#lib/platform/values/text.ts'
import { readRows, separatedByCommas } from '../csv-rows.ts'
import {
  ImportError,
  type ImportProblem,
  MAX_PROBLEMS,
  missingColumns,
  ofFile,
  problemList,
} from '../import-error.ts'
import { quoted } from '../value-errors.ts'

/** The cells of a row by the names of their columns; one that is blank is absent. */
export type TableRow<Column extends string> = { line: number; cells: Partial<Record<Column, string>> }

const MAX_LENGTH = 300

type TableOptions<Required extends string, Optional extends string> = {
  /** Name of the file, for errors. */
  file: string
  columns: { required: readonly Required[]; optional: readonly Optional[] }
  /** Called for each row; returns the reason for rejecting the row. */
  onRow: (row: TableRow<Required | Optional>) => string | undefined
  signal?: AbortSignal | undefined
}

/**
 * Reads a small table of an operator, CSV with a header in any case and order.
 * @throws ImportError that lists the errors by line; also for an unknown column, which may be a misspelled one
 */
export async function readTable<Required extends string, Optional extends string>(
  text: AsyncIterable<string>,
  { file, columns, onRow, signal }: TableOptions<Required, Optional>,
): Promise<void> {
  const allColumns = [...columns.required, ...columns.optional]
  const problems = problemList()
  let names: (Required | Optional)[] | undefined
  const handleRow = (row: string[], line: number) => {
    if (!names) {
      names = namesOf(row, line, allColumns, columns.required)
      return
    }
    const reason = rowError(row, names.length) ?? onRow({ line, cells: cellsOf(row, names) })
    if (reason) problems.add({ line, reason })
  }
  try {
    await readRows(
      separatedByCommas(text, (header) => header.filter((name) => find(allColumns, name)).length),
      handleRow,
      signal,
    )
    problems.throwIfAny()
    if (!names) throw new ImportError([{ reason: 'is empty' }])
  } catch (error) {
    throw ofFile(error, file)
  }
}

function rowError(row: string[], width: number): string | undefined {
  if (row.length !== width) return `has ${row.length} columns, not ${width}`
  return row.map((cell) => textError(cell.trim(), MAX_LENGTH)).find((error) => error !== undefined)
}

/** Finds a column by name in any case. */
function find<Column extends string>(columns: readonly Column[], name: string): Column | undefined {
  return columns.find((each) => each.toLowerCase() === name.trim().toLowerCase())
}

function cellsOf<Column extends string>(row: string[], names: Column[]) {
  const filled = names.map((name, index) => [name, row[index]?.trim()] as const).filter(([, cell]) => cell)
  return Object.fromEntries(filled) as Partial<Record<Column, string>>
}

function namesOf<Column extends string>(
  header: string[],
  line: number,
  columns: readonly Column[],
  required: readonly Column[],
): Column[] {
  const names = header.map((name) => find(columns, name))
  const missing = required.filter((name) => !names.includes(name))
  const unknown = header.filter((_, index) => names[index] === undefined)
  const twice = columns.filter((name) => names.indexOf(name) !== names.lastIndexOf(name))
  const problems: ImportProblem[] = [
    ...missingColumns(line, missing),
    ...unknown.map((name) => ({
      line,
      reason: `${quoted(name.trim())} is no column of this file: ${columns.join(', ')}`,
    })),
    ...twice.map((column) => ({ line, column, reason: 'there are two such columns' })),
  ]
  if (problems.length > 0) throw new ImportError(problems.slice(0, MAX_PROBLEMS))
  return names.filter((name) => name !== undefined)
}
