import type { VendorFault } from '../vendors/faults.ts'
import type { Answer, Call, Route } from '../vendors/routes.ts'
import type { Pages, Store, Subscription } from '../vendors/store.ts'

/** A write as Paperclip stores it: under Paperclip's own id, and under the id of the client's change. */
type Order = {
  order: string
  change: string
  subscriptionId: string
  state: 'open' | 'done' | 'refused' | 'void'
  no?: string
}

/** Final state of a write that takes longer. */
type LaterState = Exclude<Order['state'], 'open'>

/**
 * Paperclip's orders for writes, which can be read afterwards. `delayWrite` makes a fault of an order that takes
 * longer: the response is only the order (202), or the connection is cut; the order is done or refused later, or
 * dropped as if it had never arrived. A repeat for the same change returns the same order.
 */
export function orders() {
  const stored: Order[] = []
  const delayed = new Map<Call, { order: Order; becomes: LaterState }>()
  let next: LaterState | 'now' = 'now'

  function carryOut(order: Order, licenses: number, store: Store<unknown>): void {
    if (licenses % 12 !== 0) Object.assign(order, { state: 'refused', no: 'licenses come by the dozen' })
    else {
      store.setTotal(order.subscriptionId, licenses, 'client')
      order.state = 'done'
    }
  }

  function put(call: Call, store: Store<unknown>): Answer {
    const { licenses } = JSON.parse(call.text)
    const open = delayed.get(call)
    if (open) {
      const { order, becomes } = open
      if (becomes === 'done') carryOut(order, licenses, store)
      else Object.assign(order, { state: becomes, no: 'there is no wire left' })
      return answered(order, store)
    }
    const change = String(call.headers['x-change'])
    const before = stored.find((order) => order.change === change)
    if (before) return answered(before, store)
    const subscriptionId = call.subscriptionId ?? ''
    const order: Order = { order: `o-${stored.length + 1}`, change, subscriptionId, state: 'open' }
    stored.push(order)
    if (next === 'now') carryOut(order, licenses, store)
    else delayed.set(call, { order, becomes: next })
    return answered(order, store)
  }

  const delayWrite =
    (becomes: LaterState, isCut = false): VendorFault<Answer> =>
    async (stage) => {
      next = becomes
      const pendingAnswer = stage.act()
      next = 'now'
      stage.actLater()
      return isCut ? pendingAnswer.then(() => 'cut') : pendingAnswer
    }

  const statusAnswer = (order: Order | undefined, pages: Pages<unknown>): Answer => {
    if (!order) return { status: 404, body: { no: 'no such order' } }
    const { state, no } = order
    const subscription =
      state === 'done' ? subscriptionAnswer(pages.find(order.subscriptionId)).body : undefined
    return {
      status: 200,
      body: { order: order.order, state, ...(state === 'refused' && { no }), subscription },
    }
  }
  const read = (name: string, path: string, find: (call: Call) => Order | undefined): Route<unknown> => ({
    ...{ name, kind: 'read' as const, method: 'GET', path },
    handle: (call: Call, pages: Pages<unknown>) => statusAnswer(find(call), pages),
  })
  const routes = [
    read('order', '/orders/:order', (call) => stored.find(({ order }) => order === call.params.order)),
    read('orderOf', '/orders', ({ query }) => stored.find(({ change }) => change === query.get('change'))),
  ]
  return { put, routes, delayWrite }
}

function answered({ state, order, no, subscriptionId }: Order, store: Pages<unknown>): Answer {
  if (state === 'open') return { status: 202, body: { order } }
  return state === 'refused' ? { status: 400, body: { no } } : subscriptionAnswer(store.find(subscriptionId))
}

export function subscriptionAnswer(subscription: Subscription | undefined): Answer {
  if (!subscription) return { status: 404, body: { no: 'no such subscription' } }
  return { status: 200, body: resourceOf(subscription) }
}

export function resourceOf({ id, customerId, skuId, total, assigned, plan }: Subscription) {
  const yearly = plan === 'yearly'
  return { id, account: customerId, product: skuId, licenses: total, users: assigned, yearly }
}
