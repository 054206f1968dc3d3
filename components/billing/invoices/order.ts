import { changed } from '#components/lists/filters/view.ts'
import { hrefOf, type View } from './view.ts'

type Order = NonNullable<View['orderBy']>
/** A column that a list can be ordered by. */
export type OrderKey = Order extends `${infer Key} ${string}` ? Key : never

const USUAL: Order = 'invoiceDate desc'

const NAMES: Record<Order, string> = {
  'invoiceDate desc': 'Newest first',
  'invoiceDate asc': 'Oldest first',
  'dueDate asc': 'Due first',
  'dueDate desc': 'Due last',
  'totalAmount desc': 'Highest total first',
  'totalAmount asc': 'Lowest total first',
  'balanceAmount desc': 'Highest balance first',
  'balanceAmount asc': 'Lowest balance first',
}

/** The order of a view in words. */
export function orderName({ orderBy = USUAL }: View): string {
  return NAMES[orderBy]
}

/** What leads back and on in a list: newest first, to newer and older ones. */
export function pageWords(orderBy: string | undefined): readonly [before: string, after: string] {
  return orderBy === undefined ? ['Newer', 'Older'] : ['Previous', 'Next']
}

/** The view in an order, from its first page on; the usual order needs no word in the address. */
function ordered(view: View, order: Order): View {
  return changed(view, { orderBy: order === USUAL ? undefined : order })
}

/** What a column's head shows and does: another column's order begins with the highest, or the latest. */
export function headOf(view: View, key: OrderKey, onGo: (view: View) => void) {
  const { orderBy = USUAL } = view
  const sorted =
    orderBy === `${key} asc`
      ? ('ascending' as const)
      : orderBy === `${key} desc`
        ? ('descending' as const)
        : undefined
  const next = ordered(view, sorted === 'descending' ? `${key} asc` : `${key} desc`)
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
