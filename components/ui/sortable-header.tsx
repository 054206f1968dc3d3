import { GoLink } from './go-link.tsx'
import { TableHeaderCell } from './table.tsx'

/**
 * Column header with a link that sorts the list by its column, or reverses that order. Phones show no headers: there it
 * is only read out.
 */
export function SortableHeader({
  sorted,
  href,
  onNavigate,
  right = false,
  className,
  children,
}: {
  /** Direction of the order by this column; undefined for another order. */
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
