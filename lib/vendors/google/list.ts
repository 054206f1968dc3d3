import 'server-only'
import { z } from 'zod'
import { type Client, jsonOf } from '../client.ts'
import type { VendorPage } from '../declaration.ts'
import type { Observed, StaleCursor, Unavailable } from '../vendor.ts'
import { subscriptionsPath } from './client.ts'
import { nonsense, unavailable } from './errors.ts'
import { isOfCustomer, observedOf } from './subscription.ts'

const PAGE_SIZE = '100'
/** Most pages of a customer, who has a handful of subscriptions. */
const MAX_PAGES = 20

const Page = z.object({
  subscriptions: z.array(z.unknown()).optional(),
  nextPageToken: z.string().min(1).max(10_000).optional(),
})

/** Returns a page of the subscriptions of all customers. */
export async function list(
  client: Client,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<VendorPage | StaleCursor | Unavailable> {
  return pageOf(client, { pageToken: cursor }, signal)
}

/** Returns all subscriptions of a customer. */
export async function ofCustomer(
  client: Client,
  customerId: string,
  signal: AbortSignal,
): Promise<{ kind: 'all'; items: Observed[]; unread: number } | Unavailable> {
  const items: Observed[] = []
  let unread = 0
  let pageToken: string | undefined
  for (let pageIndex = 0; pageIndex < MAX_PAGES; pageIndex++) {
    const page = await pageOf(client, { customerId, pageToken }, signal)
    if (page.kind === 'stale') return { kind: 'unavailable', reason: page.reason, others: 'answer' }
    if (page.kind === 'unavailable') return page
    items.push(...page.items)
    unread += page.unread
    pageToken = page.next
    if (pageToken === undefined) return { kind: 'all', items, unread }
  }
  const reason = 'Google’s list of the customer’s subscriptions does not end.'
  return { kind: 'unavailable', reason, others: 'answer' }
}

/** Returns a page of all subscriptions, or of one customer's. Invalid ones are left out, and counted. */
async function pageOf(
  { call }: Client,
  pageQuery: { customerId?: string; pageToken: string | undefined },
  signal: AbortSignal,
): Promise<VendorPage | StaleCursor | Unavailable> {
  const query = new URLSearchParams({ maxResults: PAGE_SIZE })
  for (const [name, value] of Object.entries(pageQuery)) if (value !== undefined) query.set(name, value)
  const reply = await call({ path: `${subscriptionsPath}?${query}` }, signal)
  // The token is the only difference to the first page.
  const isStale = pageQuery.pageToken !== undefined && reply.kind === 'answer' && reply.status === 400
  if (isStale) return { kind: 'stale', reason: unavailable(reply).reason }
  if (reply.kind !== 'answer' || reply.status !== 200) return unavailable(reply)
  const page = Page.safeParse(jsonOf(reply.text)).data
  const next = page?.nextPageToken
  // A page token that equals the previous one would loop forever.
  if (!page || (next !== undefined && next === pageQuery.pageToken)) return nonsense()
  const resources = page.subscriptions ?? []
  const { customerId } = pageQuery
  // An answer about another customer may lack ours.
  if (customerId !== undefined && !resources.every((one) => isOfCustomer(one, customerId))) return nonsense()
  const items = resources.map(observedOf).filter((item) => item !== undefined)
  return { kind: 'page', items, failed: [], next, unread: resources.length - items.length }
}
