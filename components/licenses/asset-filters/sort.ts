import { hrefOf, type View } from '#components/licenses/assets/view.ts'
import { changed } from '#components/lists/filters/view.ts'
import type { AssetSortKey } from '#lib/licenses/assets/rules.ts'

type Sort = NonNullable<View['orderBy']>

const DEFAULT_SORT: Sort = 'created desc'

const NAMES: Record<Sort, string> = {
  'created desc': 'Newest first',
  'created asc': 'Oldest first',
  'name asc': 'By name, A to Z',
  'name desc': 'By name, Z to A',
  'renewal asc': 'Renewal soonest first',
  'renewal desc': 'Renewal latest first',
  'idle desc': 'Most unassigned first',
  'idle asc': 'Fewest unassigned first',
}

/** Returns the display name of a view's order. */
export function sortName({ orderBy = DEFAULT_SORT }: View): string {
  return NAMES[orderBy]
}

/** Returns the labels of a list's two page links: to newer and older rows where the newest come first. */
export function pagerLabels(orderBy: Sort | undefined): readonly [before: string, after: string] {
  return orderBy === undefined ? ['Newer', 'Older'] : ['Previous', 'Next']
}

/** Returns the view with another order, starting on the first page; the default order is not part of the address. */
function withSort(view: View, sort: Sort): View {
  return changed(view, { orderBy: sort === DEFAULT_SORT ? undefined : sort })
}

/**
 * Returns a column header's sort state and link: names begin with A, renewals with the next one, idle licenses with the
 * most.
 */
export function sortableHeaderProps(view: View, key: AssetSortKey, onNavigate: (view: View) => void) {
  const { orderBy = DEFAULT_SORT } = view
  const sorted =
    orderBy === `${key} asc`
      ? ('ascending' as const)
      : orderBy === `${key} desc`
        ? ('descending' as const)
        : undefined
  const [first, second]: [Sort, Sort] =
    key === 'name' || key === 'renewal' ? [`${key} asc`, `${key} desc`] : [`${key} desc`, `${key} asc`]
  const next = withSort(view, orderBy === first ? second : first)
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
