import type { FakeDeclaration } from '../vendors/declaration.ts'
import { startFake } from '../vendors/engine.ts'
import type { Answer, Call, FakeVendor, Route } from '../vendors/routes.ts'
import type { Pages, Store } from '../vendors/store.ts'
import { orders, resourceOf, subscriptionAnswer } from './orders.ts'
import { scenarios } from './scenarios.ts'

// Fake of Paperclip, an invented vendor (lib/vendors/test-invented).

const KEY = 'only-for-the-fake'
const PAGE_SIZE = 2
const ONE = '/accounts/:customer/subscriptions/:subscription'

function paperclipItself(): FakeVendor<unknown> {
  const { put, routes, delayWrite } = orders()
  const all: Route<unknown>[] = [
    {
      name: 'get',
      kind: 'read',
      method: 'GET',
      path: ONE,
      handle: (call, store) => subscriptionAnswer(store.find(call.subscriptionId ?? '')),
    },
    {
      name: 'list',
      kind: 'read',
      method: 'GET',
      path: '/subscriptions',
      handle(call, store) {
        const start = Number(call.query.get('after') ?? 0)
        const end = start + PAGE_SIZE
        const all = store.all()
        const next = end < all.length ? String(end) : undefined
        return { status: 200, body: { subscriptions: all.slice(start, end).map(resourceOf), next } }
      },
    },
    { name: 'put', kind: 'write', method: 'PUT', path: ONE, handle: put },
    ...routes,
  ]
  return {
    label: 'Paperclip',
    routes: all.map(guarded),
    fill: ({ vendorFields, ...input }) => ({
      customerId: 'c',
      skuId: 'k',
      total: 12,
      assigned: 0,
      status: 'ACTIVE',
      plan: 'monthly',
      createdAt: 0,
      ...input,
      vendorFields,
    }),
    error: (status) => ({ status, body: { no: 'out of order' } }),
    throttled: (seconds) => ({ status: 429, headers: { 'retry-after': String(seconds) }, body: {} }),
    missing: () => ({ status: 404, body: {} }),
    faults: {
      order: delayWrite('done'),
      'order-cut': delayWrite('done', true),
      'order-refused': delayWrite('refused'),
      'order-void': delayWrite('void'),
    },
  }
}

/** Wraps a route so that it requires the key. */
function guarded(route: Route<unknown>): Route<unknown> {
  const isAuthorized = ({ headers }: Call) => headers.authorization === `Bearer ${KEY}`
  const no: Answer = { status: 401, body: { no: 'wrong key' } }
  if (route.kind === 'write') {
    return {
      ...route,
      handle: (call: Call, store: Store<unknown>) => (isAuthorized(call) ? route.handle(call, store) : no),
    }
  }
  return {
    ...route,
    handle: (call: Call, pages: Pages<unknown>) => (isAuthorized(call) ? route.handle(call, pages) : no),
  }
}

/** The fake as the demo and the fuzz would run it. */
export const paperclip: FakeDeclaration = {
  vendor: 'paperclip',
  async start(options) {
    const fake = await startFake(paperclipItself(), options)
    return { fake, settings: { PAPERCLIP_KEY: KEY, PAPERCLIP_URL: fake.url } }
  },
  needs: ['PAPERCLIP_KEY', 'PAPERCLIP_URL'],
  confirmSetting: 'PAPERCLIP_SETTLE_SECONDS',
  callsSetting: 'PAPERCLIP_CALLS_PER_MINUTE',
  toNewSubscription: ({ planName, ...seed }) => ({
    ...seed,
    plan: planName === 'FLEXIBLE' ? 'monthly' : 'yearly',
  }),
  writeFaults: [],
  readFaults: [],
  scenarios,
}
