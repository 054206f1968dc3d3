import { changed } from '#components/lists/filters/view.ts'
import { hrefOf, type View } from './view.ts'

type Sort = NonNullable<View['orderBy']>
/** Column that a list can be sorted by. */
export type SortKey = Sort extends `${infer Key} ${string}` ? Key : never

const DEFAULT_SORT: Sort = 'invoiceDate desc'

const NAMES: Record<Sort, string> = {
  'invoiceDate desc': 'Newest first',
  'invoiceDate asc': 'Oldest first',
  'dueDate asc': 'Due first',
  'dueDate desc': 'Due last',
  'totalAmount desc': 'Highest total first',
  'totalAmount asc': 'Lowest total first',
  'balanceAmount desc': 'Highest balance first',
  'balanceAmount asc': 'Lowest balance first',
}

/** Returns the display name of a view's order. */
export function sortName({ orderBy = DEFAULT_SORT }: View): string {
  return NAMES[orderBy]
}

/** Returns the labels of a list's two page links: to newer and older rows where the newest come first. */
export function pagerLabels(orderBy: string | undefined): readonly [before: string, after: string] {
  return orderBy === undefined ? ['Newer', 'Older'] : ['Previous', 'Next']
}

/** Returns the view with another order, starting on the first page; the default order is not part of the address. */
function withSort(view: View, sort: Sort): View {
  return changed(view, { orderBy: sort === DEFAULT_SORT ? undefined : sort })
}

/**
 * Returns a column header's sort state and link: a column that is not sorted by yet begins with its highest or latest
 * value.
 */
export function sortableHeaderProps(view: View, key: SortKey, onNavigate: (view: View) => void) {
  const { orderBy = DEFAULT_SORT } = view
  const sorted =
    orderBy === `${key} asc`
      ? ('ascending' as const)
      : orderBy === `${key} desc`
        ? ('descending' as const)
        : undefined
  const next = withSort(view, sorted === 'descending' ? `${key} asc` : `${key} desc`)
  return { sorted, href: hrefOf(next), onNavigate: () => onNavigate(next) }
}

/** Returns all orders, for the menu. */
export function sortOptions(view: View, onNavigate: (view: View) => void) {
  const { orderBy = DEFAULT_SORT } = view
  return (Object.keys(NAMES) as Sort[]).map((sort) => {
    const next = withSort(view, sort)
    return {
      name: NAMES[sort],
      href: hrefOf(next),
      selected: sort === orderBy,
      onNavigate: () => onNavigate(next),
    }
  })
}
