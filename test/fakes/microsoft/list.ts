import type { Answer, Call, Route } from '../vendors/routes.ts'
import { errorAnswer } from './errors.ts'
import { entraSku, resourceOf, type VendorFields } from './resource.ts'

const TOKEN = 'MS-ContinuationToken'
const DEFAULT_SIZE = 100

/** Lists of Partner Center: its customers, page by page, and the subscriptions of each customer. */
export const listRoutes: Route<VendorFields>[] = [
  {
    name: 'customers',
    kind: 'read',
    method: 'GET',
    path: '/v1/customers',
    handle(call, pages) {
      return page(call, pages.customers(), (id) => ({
        id,
        companyProfile: { tenantId: id, domain: 'example.onmicrosoft.com' },
        relationshipToPartner: 'reseller',
      }))
    },
  },
  {
    name: 'subscriptions',
    kind: 'read',
    method: 'GET',
    path: '/v1/customers/:customer/subscriptions',
    handle(call, pages) {
      const subscriptions = pages.ofCustomer(call.params.customer ?? '')
      if (subscriptions.length === 0) return errorAnswer(60003)
      return { status: 200, body: { totalCount: subscriptions.length, items: subscriptions.map(resourceOf) } }
    },
  },
  {
    name: 'subscribedSkus',
    kind: 'read',
    method: 'GET',
    path: '/v1/customers/:customer/subscribedskus',
    handle(call, pages) {
      const subscriptions = pages.ofCustomer(call.params.customer ?? '')
      const items = Map.groupBy(subscriptions, ({ skuId }) => skuId)
        .entries()
        .map(([skuId, group]) => {
          const consumedUnits = group.reduce((sum, { assigned }) => sum + assigned, 0)
          const activeUnits = group.reduce((sum, { total }) => sum + total, 0)
          return { activeUnits, consumedUnits, productSku: { id: entraSku(skuId), name: skuId } }
        })
      const list = [...items]
      return { status: 200, body: { totalCount: list.length, items: list } }
    },
  },
]

/** Returns the page that begins at the token of the page before. */
function page<Item>(call: Call, all: Item[], toResource: (item: Item) => unknown): Answer {
  const token = call.headers[TOKEN.toLowerCase()]
  const isNext = call.query.get('seekOperation') === 'Next'
  const start = isNext ? startOf(String(token)) : 0
  if (start === undefined) return errorAnswer(2000)
  const size = Number(call.query.get('size') || DEFAULT_SIZE)
  const items = all.slice(start, start + size).map(toResource)
  const value = Buffer.from(`from ${start + size}`).toString('base64')
  const uri = `/customers?size=${size}&seekOperation=Next`
  const next = { uri, method: 'GET', headers: [{ key: TOKEN, value }] }
  const links = start + size < all.length ? { next } : {}
  return { status: 200, body: { totalCount: items.length, items, links } }
}

function startOf(token: string): number | undefined {
  const start = /^from (\d+)$/.exec(Buffer.from(token, 'base64').toString())?.[1]
  return start === undefined ? undefined : Number(start)
}
