import { print } from './terminal.ts'

export type Cell = string | Date | readonly string[] | null

/** Prints rows as JSON, or as columns with a header. */
export function printRows<T extends Record<string, Cell>>(
  rows: readonly T[],
  { json }: { json?: boolean },
): void {
  if (json) print(JSON.stringify(rows, null, 2))
  else for (const line of columns(rows)) print(line)
}

function columns(rows: readonly Record<string, Cell>[]): string[] {
  const names = Object.keys(rows[0] ?? {})
  if (names.length === 0) return []
  const lines = [names, ...rows.map((row) => names.map((name) => shown(row[name] ?? null)))]
  const widths = names.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  return lines.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

function shown(cell: Cell): string {
  if (cell === null) return '-'
  if (cell instanceof Date) return cell.toISOString().slice(0, 16).replace('T', ' ')
  // Of several lines a table shows one.
  return typeof cell === 'string' ? cell.replaceAll('\n', ', ') : cell.join(',')
}
