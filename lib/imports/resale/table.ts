import { readRows } from '../csv-rows.ts'
import { quoted, textFault } from '../faults.ts'
import { problemList } from '../problem-list.ts'
import { ImportRefused } from '../refused.ts'

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
  const problems = problemList()
  let names: (Required | Optional)[] | undefined
  await readRows(
    text,
    (row, line) => {
      if (!names) {
        names = namesOf(row, file, line, columns)
        return
      }
      const fault = row.length === names.length ? undefined : `has ${row.length} columns, not ${names.length}`
      const cells = cellsOf(row, names)
      const longest = Object.values<string | undefined>(cells).find((cell) => textFault(cell ?? '', LONGEST))
      const reason = fault ?? (longest && textFault(longest, LONGEST)) ?? take({ line, cells })
      if (reason) problems.add({ file, line, reason })
    },
    signal,
  )
  problems.refuseIfAny()
  if (!names) throw new ImportRefused([{ file, reason: 'is empty' }])
}

function cellsOf<Column extends string>(row: string[], names: Column[]) {
  const filled = names.map((name, index) => [name, row[index]?.trim()] as const).filter(([, cell]) => cell)
  return Object.fromEntries(filled) as Partial<Record<Column, string>>
}

function namesOf<Required extends string, Optional extends string>(
  header: string[],
  file: string,
  line: number,
  { required, optional }: { required: readonly Required[]; optional: readonly Optional[] },
): (Required | Optional)[] {
  const known = [...required, ...optional]
  const given = header.map((name) => name.trim())
  const found = given.map((name) => known.find((each) => each.toLowerCase() === name.toLowerCase()))
  const missing = required.filter((name) => !found.includes(name))
  const unknown = given.filter((_, index) => found[index] === undefined)
  const twice = known.filter((name) => found.indexOf(name) !== found.lastIndexOf(name))
  const problems = [
    ...missing.map((column) => ({ file, line, column, reason: 'there is no such column' })),
    ...unknown.map((name) => ({
      file,
      line,
      reason: `${quoted(name)} is no column of this file: ${known.join(', ')}`,
    })),
    ...twice.map((column) => ({ file, line, column, reason: 'there are two such columns' })),
  ]
  if (problems.length > 0) throw new ImportRefused(problems.slice(0, 20))
  return found as (Required | Optional)[]
}
