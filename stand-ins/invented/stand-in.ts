import type { Subscription } from '../vendors/book.ts'
import { startFake } from '../vendors/engine.ts'
import type { Answer, Call, FakeVendor } from '../vendors/routes.ts'
import type { StandIn } from '../vendors/stand-in.ts'
import { trials } from './trials.ts'

// A stand-in for Paperclip, the vendor that there is not (lib/vendors/test-invented).

const KEY = 'only-for-the-fake'
const PAGE_SIZE = 2
const ONE = '/accounts/:customer/subscriptions/:subscription'

const PAPERCLIP: FakeVendor<unknown> = {
  label: 'Paperclip',
  routes: [
    {
      name: 'get',
      kind: 'read',
      method: 'GET',
      path: ONE,
      handle: (call, book) => allowed(call) ?? shown(book.find(call.subscriptionId ?? '')),
    },
    {
      name: 'list',
      kind: 'read',
      method: 'GET',
      path: '/subscriptions',
      handle(call, book) {
        const start = Number(call.query.get('after') ?? 0)
        const end = start + PAGE_SIZE
        const all = book.all()
        const next = end < all.length ? String(end) : undefined
        const body = { subscriptions: all.slice(start, end).map(resourceOf), next }
        return allowed(call) ?? { status: 200, body }
      },
    },
    {
      name: 'put',
      kind: 'write',
      method: 'PUT',
      path: ONE,
      handle(call, book) {
        const no = allowed(call)
        const { licenses } = JSON.parse(call.text)
        if (no) return no
        if (licenses % 12 !== 0) return { status: 400, body: { no: 'licenses come by the dozen' } }
        book.setTotal(call.subscriptionId ?? '', licenses, 'client')
        return shown(book.find(call.subscriptionId ?? ''))
      },
    },
  ],
  fill: ({ own, ...given }) => ({
    customerId: 'c',
    skuId: 'k',
    total: 12,
    assigned: 0,
    status: 'ACTIVE',
    plan: 'monthly',
    createdAt: 0,
    ...given,
    own,
  }),
  error: (status) => ({ status, body: { no: 'out of order' } }),
  throttled: (seconds) => ({ status: 429, headers: { 'retry-after': String(seconds) }, body: {} }),
  notFound: () => ({ status: 404, body: {} }),
}

function allowed({ headers }: Call): Answer | undefined {
  return headers.authorization === `Bearer ${KEY}` ? undefined : { status: 401, body: { no: 'wrong key' } }
}

function shown(subscription: Subscription | undefined): Answer {
  return subscription ? { status: 200, body: resourceOf(subscription) } : { status: 404, body: {} }
}

function resourceOf({ id, customerId, skuId, total, assigned, plan }: Subscription) {
  const yearly = plan === 'yearly'
  return { id, account: customerId, product: skuId, licenses: total, users: assigned, yearly }
}

/** The stand-in as the demo and the fuzz would run it. */
export const paperclip: StandIn = {
  vendor: 'paperclip',
  async start(options) {
    const fake = await startFake(PAPERCLIP, options)
    return { fake, settings: { PAPERCLIP_KEY: KEY, PAPERCLIP_URL: fake.url } }
  },
  needs: ['PAPERCLIP_KEY', 'PAPERCLIP_URL'],
  settleSetting: 'PAPERCLIP_SETTLE_SECONDS',
  given: ({ planName, ...seed }) => ({ ...seed, plan: planName === 'FLEXIBLE' ? 'monthly' : 'yearly' }),
  ownFaults: [],
  trials,
}
