import { changed, type ListView } from './view.ts'

type SortedView = ListView & { orderBy?: string | undefined }
/** Order of a view, such as `name asc`. */
type SortOf<View extends SortedView> = NonNullable<View['orderBy']>
/** Column that a list can be sorted by. */
export type SortKeyOf<View extends SortedView> = SortOf<View> extends `${infer Key} ${string}` ? Key : never

/** Returns the labels of a list's two page links: to newer and older rows where the newest come first. */
export function pagerLabels(orderBy: string | undefined): readonly [before: string, after: string] {
  return orderBy === undefined ? ['Newer', 'Older'] : ['Previous', 'Next']
}

/**
 * Returns functions for the orders of a list screen.
 * @param names of all orders, as in the menu; the first is the default, which is not part of the address
 * @param ascendingFirst columns whose header sorts in ascending order first; the others begin with the highest or latest
 */
export function listSort<View extends SortedView>(
  hrefOf: (view: View) => string,
  names: Record<SortOf<View>, string>,
  ascendingFirst: readonly SortKeyOf<View>[] = [],
) {
  const sorts = Object.keys(names) as SortOf<View>[]
  const sortOf = ({ orderBy }: View) => (orderBy ?? sorts[0]) as SortOf<View>

  /** Returns the view with another order, starting on the first page. */
  const withSort = (view: View, sort: SortOf<View>): View =>
    changed<SortedView>(view, { orderBy: sort === sorts[0] ? undefined : sort }) as View

  /** Returns the display name of a view's order. */
  const sortName = (view: View): string => names[sortOf(view)]

  /** Returns a column header's sort state and its link to the other direction. */
  const sortableHeaderProps = (view: View, key: SortKeyOf<View>, onNavigate: (view: View) => void) => {
    const [ascending, descending] = [`${key} asc`, `${key} desc`] as SortOf<View>[]
    const [first, second] = ascendingFirst.includes(key) ? [ascending, descending] : [descending, ascending]
    const current = sortOf(view)
    const next = withSort(view, (current === first ? second : first) as SortOf<View>)
    const sorted =
      current === ascending
        ? ('ascending' as const)
        : current === descending
          ? ('descending' as const)
          : undefined
    return { sorted, href: hrefOf(next), onNavigate: () => onNavigate(next) }
  }

  /** Returns all orders, for the menu. */
  const sortOptions = (view: View, onNavigate: (view: View) => void) =>
    sorts.map((sort) => {
      const next = withSort(view, sort)
      return {
        name: names[sort],
        href: hrefOf(next),
        selected: sort === sortOf(view),
        onNavigate: () => onNavigate(next),
      }
    })

  return { sortName, sortableHeaderProps, sortOptions }
}
