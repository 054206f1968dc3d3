import { GoLink } from './go-link.tsx'
import { TableHeaderCell } from './table.tsx'

/**
 * A column's head that leads to the list in this column's order, or turns the order round when it has it already.
 * Phones show no heads: there it names the column only.
 */
export function SortableHeader({
  sorted,
  href,
  onNavigate,
  right = false,
  className,
  children,
}: {
  /** Which way the list runs by this column; absent when it runs by another. */
  sorted: 'ascending' | 'descending' | undefined
  href: string
  onNavigate: () => void
  right?: boolean
  className?: string
  children: string
}) {
  const arrow = (
    <span aria-hidden="true" className="mx-0.5 inline-block w-3 text-center">
      {sorted ? (sorted === 'ascending' ? '↑' : '↓') : null}
    </span>
  )
  return (
    <TableHeaderCell right={right} aria-sort={sorted} {...(className ? { className } : {})}>
      <span className="md:hidden">{children}</span>
      <GoLink
        href={href}
        onNavigate={onNavigate}
        className="rounded-sm underline-offset-2 hover:text-ink hover:underline max-md:hidden"
      >
        {right ? arrow : null}
        {children}
        {right ? null : arrow}
      </GoLink>
    </TableHeaderCell>
  )
}
