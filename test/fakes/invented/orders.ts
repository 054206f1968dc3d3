import type { Book, Pages, Subscription } from '../vendors/book.ts'
import type { OwnFault } from '../vendors/faults.ts'
import type { Answer, Call, Route } from '../vendors/routes.ts'

/** A write, as Paperclip keeps it: by its own name for it, and by the id of the client's change. */
type Order = {
  order: string
  change: string
  subscriptionId: string
  state: 'open' | 'done' | 'refused' | 'void'
  no?: string
}

/** What becomes of a write that takes longer. */
type Later = Exclude<Order['state'], 'open'>

/**
 * Paperclip's writes, which can be asked for afterwards. `takes` makes a fault of one that takes longer: it is answered
 * with the order alone (202), or cut, and done or refused later, or dropped as if it had never come. A repeat under the
 * same change is the same order.
 */
export function orders() {
  const kept: Order[] = []
  const later = new Map<Call, { order: Order; becomes: Later }>()
  let next: Later | 'now' = 'now'

  function carryOut(order: Order, licenses: number, book: Book<unknown>): void {
    if (licenses % 12 !== 0) Object.assign(order, { state: 'refused', no: 'licenses come by the dozen' })
    else {
      book.setTotal(order.subscriptionId, licenses, 'client')
      order.state = 'done'
    }
  }

  function put(call: Call, book: Book<unknown>): Answer {
    const { licenses } = JSON.parse(call.text)
    const open = later.get(call)
    if (open) {
      const { order, becomes } = open
      if (becomes === 'done') carryOut(order, licenses, book)
      else Object.assign(order, { state: becomes, no: 'there is no wire left' })
      return answered(order, book)
    }
    const change = String(call.headers['x-change'])
    const before = kept.find((order) => order.change === change)
    if (before) return answered(before, book)
    const subscriptionId = call.subscriptionId ?? ''
    const order: Order = { order: `o-${kept.length + 1}`, change, subscriptionId, state: 'open' }
    kept.push(order)
    if (next === 'now') carryOut(order, licenses, book)
    else later.set(call, { order, becomes: next })
    return answered(order, book)
  }

  const takes =
    (becomes: Later, isCut = false): OwnFault<Answer> =>
    async (stage) => {
      next = becomes
      const answering = stage.act()
      next = 'now'
      stage.later()
      return isCut ? answering.then(() => 'cut') : answering
    }

  const told = (order: Order | undefined, pages: Pages<unknown>): Answer => {
    if (!order) return { status: 404, body: { no: 'no such order' } }
    const { state, no } = order
    const subscription = state === 'done' ? shown(pages.find(order.subscriptionId)).body : undefined
    return {
      status: 200,
      body: { order: order.order, state, ...(state === 'refused' && { no }), subscription },
    }
  }
  const read = (name: string, path: string, find: (call: Call) => Order | undefined): Route<unknown> => ({
    ...{ name, kind: 'read' as const, method: 'GET', path },
    handle: (call: Call, pages: Pages<unknown>) => told(find(call), pages),
  })
  const routes = [
    read('order', '/orders/:order', (call) => kept.find(({ order }) => order === call.params.order)),
    read('orderOf', '/orders', ({ query }) => kept.find(({ change }) => change === query.get('change'))),
  ]
  return { put, routes, takes }
}

function answered({ state, order, no, subscriptionId }: Order, book: Pages<unknown>): Answer {
  if (state === 'open') return { status: 202, body: { order } }
  return state === 'refused' ? { status: 400, body: { no } } : shown(book.find(subscriptionId))
}

export function shown(subscription: Subscription | undefined): Answer {
  if (!subscription) return { status: 404, body: { no: 'no such subscription' } }
  return { status: 200, body: resourceOf(subscription) }
}

export function resourceOf({ id, customerId, skuId, total, assigned, plan }: Subscription) {
  const yearly = plan === 'yearly'
  return { id, account: customerId, product: skuId, licenses: total, users: assigned, yearly }
}
