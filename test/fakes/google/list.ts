import type { Answer } from '../vendors/routes.ts'
import type { Pages } from '../vendors/store.ts'
import { errorAnswer } from './errors.ts'
import { type GoogleFields, type GoogleSubscription, resourceOf } from './resource.ts'

const DEFAULT_RESULTS = 20
const MAX_RESULTS = 100

/** Returns a page of `subscriptions.list`: of one customer, or of all. */
export function page(query: URLSearchParams, store: Pages<GoogleFields>): Answer {
  const maxResults = query.get('maxResults') ?? String(DEFAULT_RESULTS)
  const size = Number(maxResults)
  if (!/^\d+$/.test(maxResults) || size < 1 || size > MAX_RESULTS) {
    return errorAnswer(400, 'invalid', 'Invalid value for: maxResults')
  }
  const ids = idsOf(query, store)
  const token = query.get('pageToken')
  // The token contains the last subscription of the page before.
  const last = token === null ? -1 : ids.indexOf(idIn(token))
  if (token !== null && last < 0) return errorAnswer(400, 'invalid', 'Invalid value for: pageToken')
  const subscriptions = ids.slice(last + 1, last + 1 + size).flatMap((id) => store.find(id) ?? [])
  const end = subscriptions.at(-1)
  const hasMore = last + 1 + size < ids.length
  const nextPageToken = hasMore && end ? tokenOf(end.id) : undefined
  const items = subscriptions.length > 0 ? subscriptions.map(resourceOf) : undefined
  return { status: 200, body: { kind: 'reseller#subscriptions', subscriptions: items, nextPageToken } }
}

function idsOf(query: URLSearchParams, store: Pages<GoogleFields>): string[] {
  if (!query.has('customerId') && !query.has('customerNamePrefix')) return store.ids()
  const ofCustomer = store.ofCustomer(query.get('customerId') ?? '')
  const some = ofCustomer.length > 0 ? ofCustomer : store.all()
  const selected = some.filter((subscription) => isSelected(subscription, query))
  return selected.map(({ id }) => id)
}

function isSelected({ customerId, vendorFields }: GoogleSubscription, query: URLSearchParams): boolean {
  const requestedCustomer = query.get('customerId')
  const prefix = query.get('customerNamePrefix') ?? ''
  const isCustomer =
    requestedCustomer === null ||
    requestedCustomer === customerId ||
    requestedCustomer === vendorFields.customerDomain
  return isCustomer && vendorFields.customerDomain.startsWith(prefix)
}

const AFTER = 'after '

function tokenOf(id: string): string {
  return Buffer.from(AFTER + id).toString('base64url')
}

function idIn(token: string): string {
  return Buffer.from(token, 'base64url').toString().slice(AFTER.length)
}
