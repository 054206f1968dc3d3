import { hrefOf, type View } from '#components/licenses/assets/view.ts'
import { changed } from '#components/lists/filters/view.ts'
import type { AssetOrderKey } from '#lib/licenses/assets/rules.ts'

type Order = NonNullable<View['orderBy']>

const USUAL: Order = 'created desc'

const NAMES: Record<Order, string> = {
  'created desc': 'Newest first',
  'created asc': 'Oldest first',
  'name asc': 'By name, A to Z',
  'name desc': 'By name, Z to A',
  'renewal asc': 'Renewal soonest first',
  'renewal desc': 'Renewal latest first',
  'idle desc': 'Most idle first',
  'idle asc': 'Fewest idle first',
}

/** The order of a view in words. */
export function orderName({ orderBy = USUAL }: View): string {
  return NAMES[orderBy]
}

/** What leads back and on in a list: newest first, to newer and older ones. */
export function pageWords(orderBy: Order | undefined): readonly [before: string, after: string] {
  return orderBy === undefined ? ['Newer', 'Older'] : ['Previous', 'Next']
}

/** The view in an order, from its first page on; the usual order needs no word in the address. */
function ordered(view: View, order: Order): View {
  return changed(view, { orderBy: order === USUAL ? undefined : order })
}

/** What a column's head shows and does: names begin with A and renewals with the next one, idle licenses with the most. */
export function headOf(view: View, key: AssetOrderKey, onGo: (view: View) => void) {
  const { orderBy = USUAL } = view
  const sorted =
    orderBy === `${key} asc`
      ? ('ascending' as const)
      : orderBy === `${key} desc`
        ? ('descending' as const)
        : undefined
  const [first, second]: [Order, Order] =
    key === 'name' || key === 'renewal' ? [`${key} asc`, `${key} desc`] : [`${key} desc`, `${key} asc`]
  const next = ordered(view, orderBy === first ? second : first)
  return { sorted, href: hrefOf(next), onGo: () => onGo(next) }
}

/** Every order, for the menu. */
export function orderChoices(view: View, onGo: (view: View) => void) {
  const { orderBy = USUAL } = view
  return (Object.keys(NAMES) as Order[]).map((order) => {
    const next = ordered(view, order)
    return { name: NAMES[order], href: hrefOf(next), chosen: order === orderBy, onGo: () => onGo(next) }
  })
}
