/** Text that begins at the column's left, or ends at its right. */
export type AlignedCell = string | { right: string }

/** Longest names are cut here, so that a line stays one. */
const WIDEST = 60

/** Rows as lines with their columns below one another, and two spaces between them. */
export function aligned(rows: readonly (readonly AlignedCell[])[]): string[] {
  const texts = rows.map((row) => row.map((cell) => textOf(cell)))
  const widths = texts[0]?.map((_, at) => Math.max(...texts.map((row) => (row[at] ?? '').length))) ?? []
  return rows.map((row, index) =>
    row
      .map((cell, at) => {
        const text = texts[index]?.[at] ?? ''
        const width = widths[at] ?? 0
        return typeof cell === 'string' ? text.padEnd(width) : text.padStart(width)
      })
      .join('  ')
      .trimEnd(),
  )
}

function textOf(cell: AlignedCell): string {
  const text = typeof cell === 'string' ? cell : cell.right
  return typeof cell !== 'string' || text.length <= WIDEST ? text : `${text.slice(0, WIDEST - 1)}…`
}

/** A number with its thousands apart. */
export function countOf(count: number): string {
  return count.toLocaleString('en')
}
