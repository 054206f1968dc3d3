import { readRows, separatedByCommas } from '../csv-rows.ts'
import { quoted, textFault } from '../faults.ts'
import { type ImportProblem, ImportRefused, MOST_PROBLEMS, ofFile, problemList } from '../refused.ts'

/** The cells of a row by the names of their columns; one that is blank is absent. */
export type TableRow<Column extends string> = { line: number; cells: Partial<Record<Column, string>> }

const LONGEST = 300

/**
 * Reads a small table of an operator's own, CSV with a header in any case and order.
 * @param file its name, for what is wrong with it
 * @param take is given each row; what it returns is why the row can't be taken
 * @throws ImportRefused that lists what is wrong, by line; also at a column that is not known, which may be a misspelt
 * one
 */
export async function readTable<Required extends string, Optional extends string>(
  text: AsyncIterable<string>,
  file: string,
  columns: { required: readonly Required[]; optional: readonly Optional[] },
  take: (row: TableRow<Required | Optional>) => string | undefined,
  signal?: AbortSignal,
): Promise<void> {
  const known = [...columns.required, ...columns.optional]
  const problems = problemList()
  let names: (Required | Optional)[] | undefined
  const takeRow = (row: string[], line: number) => {
    if (!names) {
      names = namesOf(row, line, known, columns.required)
      return
    }
    const reason = faultOf(row, names.length) ?? take({ line, cells: cellsOf(row, names) })
    if (reason) problems.add({ line, reason })
  }
  try {
    await readRows(
      separatedByCommas(text, (given) => given.filter((name) => find(known, name)).length),
      takeRow,
      signal,
    )
    problems.refuseIfAny()
    if (!names) throw new ImportRefused([{ reason: 'is empty' }])
  } catch (error) {
    throw ofFile(error, file)
  }
}

function faultOf(row: string[], width: number): string | undefined {
  if (row.length !== width) return `has ${row.length} columns, not ${width}`
  return row.map((cell) => textFault(cell.trim(), LONGEST)).find((fault) => fault !== undefined)
}

/** A name in any case. */
function find<Column extends string>(known: readonly Column[], name: string): Column | undefined {
  return known.find((each) => each.toLowerCase() === name.trim().toLowerCase())
}

function cellsOf<Column extends string>(row: string[], names: Column[]) {
  const filled = names.map((name, index) => [name, row[index]?.trim()] as const).filter(([, cell]) => cell)
  return Object.fromEntries(filled) as Partial<Record<Column, string>>
}

function namesOf<Column extends string>(
  header: string[],
  line: number,
  known: readonly Column[],
  required: readonly Column[],
): Column[] {
  const found = header.map((name) => find(known, name))
  const missing = required.filter((name) => !found.includes(name))
  const unknown = header.filter((_, index) => found[index] === undefined)
  const twice = known.filter((name) => found.indexOf(name) !== found.lastIndexOf(name))
  const problems: ImportProblem[] = [
    ...missing.map((column) => ({ line, column, reason: 'there is no such column' })),
    ...unknown.map((name) => ({
      line,
      reason: `${quoted(name.trim())} is no column of this file: ${known.join(', ')}`,
    })),
    ...twice.map((column) => ({ line, column, reason: 'there are two such columns' })),
  ]
  if (problems.length > 0) throw new ImportRefused(problems.slice(0, MOST_PROBLEMS))
  return found.filter((name) => name !== undefined)
}
