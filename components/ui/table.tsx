import type { ComponentProps, ReactNode } from 'react'

// Semantic table. Below `md` its rows are stacked: each row is a grid of two columns, in which the cell's `placement`
// is its position.

// Explicit roles, because some screen readers drop an element's native role under `display: grid`.
export const ROLE = {
  table: { role: 'table' },
  rowgroup: { role: 'rowgroup' },
  row: { role: 'row' },
  columnheader: { role: 'columnheader' },
  rowheader: { role: 'rowheader' },
  cell: { role: 'cell' },
} as const

/**
 * Position of a cell in a stacked row: left column, right column from the top, right column's first, second or third
 * row, across, or hidden.
 */
export type CellPlacement = 'left' | 'right' | 'right-1' | 'right-2' | 'right-3' | 'across' | 'gone'

const PLACEMENTS: Record<CellPlacement, string> = {
  left: 'max-md:col-start-1',
  right: 'max-md:col-start-2 max-md:row-start-1 max-md:row-span-3 max-md:self-start max-md:text-right',
  'right-1': 'max-md:col-start-2 max-md:row-start-1 max-md:text-right',
  'right-2': 'max-md:col-start-2 max-md:row-start-2 max-md:text-right',
  'right-3': 'max-md:col-start-2 max-md:row-start-3 max-md:text-right',
  across: 'max-md:col-span-2',
  gone: 'max-md:hidden',
}

/**
 * `label` is the table's accessible name; `pending` while newer rows are loading. With `fixed` the columns keep the
 * widths of their header cells, whatever the rows contain.
 */
export function Table({
  label,
  pending,
  fixed,
  children,
}: {
  label: string
  pending?: boolean
  fixed?: boolean
  children: ReactNode
}) {
  return (
    <table
      {...ROLE.table}
      aria-label={label}
      aria-busy={pending ? true : undefined}
      className={`w-full border-collapse max-md:block ${fixed ? 'table-fixed' : ''}`}
    >
      {children}
    </table>
  )
}

/** Table header: hidden on phones, but still read out. */
export function TableHeader({ children }: { children: ReactNode }) {
  return (
    <thead {...ROLE.rowgroup} className="max-md:sr-only">
      <tr {...ROLE.row}>{children}</tr>
    </thead>
  )
}

/**
 * Insets of cells: narrow between columns, so that these have the room, and at the ends those of a card. A table with
 * long amounts narrows them on paper.
 */
const INSET = 'md:px-(--inset,0.625rem) md:first:pl-(--end-inset,1rem) md:last:pr-(--end-inset,1rem)'
export const TIGHT_IN_PRINT = 'print:[--inset:0.25rem] print:[--end-inset:0.25rem]'
/** Like `TIGHT_IN_PRINT`, in small type: for many columns, or the longest amounts. */
export const TIGHTEST_IN_PRINT = `${TIGHT_IN_PRINT} print:[&_*]:text-[7pt]`

export function TableHeaderCell({
  right,
  className = '',
  ...rest
}: { right?: boolean } & ComponentProps<'th'>) {
  return (
    <th
      {...ROLE.columnheader}
      scope="col"
      {...rest}
      className={`border-b border-line ${INSET} py-2 text-xs font-medium whitespace-nowrap text-ink-3 ${right ? 'text-right' : 'text-left'} ${className}`}
    />
  )
}

export function TableBody({ children }: { children: ReactNode }) {
  return (
    <tbody {...ROLE.rowgroup} className="max-md:block">
      {children}
    </tbody>
  )
}

export function Row({ className = '', ...rest }: ComponentProps<'tr'>) {
  return (
    <tr
      {...ROLE.row}
      {...rest}
      className={`border-b border-line last:border-b-0 not-print:md:h-11 max-md:grid max-md:grid-cols-[minmax(0,1fr)_auto] max-md:gap-x-3 max-md:gap-y-1 max-md:px-3.5 max-md:py-3 ${className}`}
    />
  )
}

type CellProps = { placement?: CellPlacement; right?: boolean; number?: boolean; className?: string }

export function Cell({ placement, right, number, className, ...rest }: CellProps & ComponentProps<'td'>) {
  return <td {...ROLE.cell} {...rest} className={cellClass({ placement, right, number, className })} />
}

/** Row header. */
export function RowHeaderCell({
  placement,
  right,
  number,
  className,
  ...rest
}: CellProps & ComponentProps<'th'>) {
  return (
    <th
      {...ROLE.rowheader}
      scope="row"
      {...rest}
      className={`text-left [font-weight:inherit] ${cellClass({ placement, right, number, className })}`}
    />
  )
}

function cellClass({
  placement = 'left',
  right,
  number,
  className = '',
}: { [Key in keyof CellProps]: CellProps[Key] | undefined }) {
  const align = right ? 'md:text-right' : ''
  const numberClass = number ? 'whitespace-nowrap tabular-nums' : ''
  return `align-middle max-md:block max-md:min-w-0 md:py-1.25 ${INSET} ${PLACEMENTS[placement]} ${align} ${numberClass} ${className}`
}
