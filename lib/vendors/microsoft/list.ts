import 'server-only'
import { z } from 'zod'
import type { Client } from '../client.ts'
import type { VendorPage } from '../declaration.ts'
import { jsonOf } from '../exchange.ts'
import type { Observed, Unavailable } from '../vendor.ts'
import type { Assignments } from './assigned.ts'
import { customerPath, customersPath } from './client.ts'
import { isGone, unavailable } from './errors.ts'
import { itemsOf } from './exact-json.ts'
import { isMetered, observedOf, withAssigned } from './subscription.ts'

const CUSTOMERS_A_PAGE = '10'
const MOST_PAGES = 100
const PATIENCE_MS = 5000
const TOKEN = 'MS-ContinuationToken'

const Page = z.object({
  items: z.array(z.unknown()),
  links: z
    .object({
      next: z.object({ headers: z.array(z.object({ key: z.string(), value: z.string() })) }).nullish(),
    })
    .nullish(),
})
const Customer = z.object({ id: z.string().min(1) })

type Items = { kind: 'items'; items: string[]; next: string | undefined }
type All = { kind: 'all'; items: Observed[]; unread: number }
/** A customer that has left, or that no longer lets the reseller in. */
type Gone = { kind: 'gone'; reason: string }

/** A page of the subscriptions of all customers: all of each customer's, for it lists customers page by page. */
export async function list(
  client: Client,
  assigned: Assignments,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<VendorPage | Unavailable> {
  const of = { path: customersPath, size: CUSTOMERS_A_PAGE, pageToken: cursor }
  const customers = await pageOf(client, of, signal)
  if (customers.kind !== 'items') return { ...customers, kind: 'unavailable' }
  const ids = customers.items.flatMap((json) => Customer.safeParse(jsonOf(json)).data?.id ?? [])
  const answers = await Promise.all(ids.map((id) => ofCustomer(client, assigned, id, signal)))
  const failed = answers.find((answer) => answer.kind === 'unavailable')
  if (failed) return failed
  const all = answers.filter((answer) => answer.kind === 'all')
  const items = all.flatMap((answer) => answer.items)
  const unread = all.reduce((sum, answer) => sum + answer.unread, 0)
  // A token that leads to itself would never end.
  const next = customers.next === cursor ? undefined : customers.next
  return { kind: 'page', items, next, unread }
}

/** All subscriptions of a customer that have licenses; one that can't be understood is left out. */
export async function ofCustomer(
  client: Client,
  assigned: Assignments,
  customerId: string,
  signal: AbortSignal,
): Promise<All | Gone | Unavailable> {
  const found: string[] = []
  let pageToken: string | undefined
  for (let turn = 0; turn < MOST_PAGES; turn++) {
    const page = await pageOf(
      client,
      { path: `${customerPath(customerId)}/subscriptions`, pageToken },
      signal,
    )
    if (page.kind !== 'items') return page
    found.push(...page.items)
    pageToken = page.next
    if (pageToken === undefined) return counted(assigned, customerId, found, signal)
  }
  return { kind: 'unavailable', reason: 'Microsoft’s list of the customer’s subscriptions does not end.' }
}

async function counted(
  assigned: Assignments,
  customerId: string,
  found: string[],
  signal: AbortSignal,
): Promise<All> {
  const licensed = found.filter((json) => !isMetered(jsonOf(json)))
  const items = licensed.flatMap((json) => observedOf(json, { customerId }) ?? [])
  const unread = licensed.length - items.length
  if (items.length === 0) return { kind: 'all', items, unread }
  const ids = items.map(({ subscriptionId }) => subscriptionId)
  const counts = await assigned(customerId, ids, PATIENCE_MS, signal)
  const whole = items.map((item) => withAssigned(item, counts.get(item.subscriptionId)))
  return { kind: 'all', items: whole, unread }
}

async function pageOf(
  { call }: Client,
  { path, size, pageToken }: { path: string; size?: string; pageToken: string | undefined },
  signal: AbortSignal,
): Promise<Items | Gone | Unavailable> {
  const query = new URLSearchParams(size === undefined ? {} : { size })
  if (pageToken !== undefined) query.set('seekOperation', 'Next')
  const headers: Record<string, string> = pageToken === undefined ? {} : { [TOKEN]: pageToken }
  const reply = await call({ path: query.size > 0 ? `${path}?${query}` : path, headers }, signal)
  if (reply.kind !== 'answer') return unavailable(reply)
  if (reply.status === 403 || isGone(reply)) return { kind: 'gone', reason: unavailable(reply).reason }
  if (reply.status !== 200) return unavailable(reply)
  const page = Page.safeParse(jsonOf(reply.text)).data
  if (!page) return { kind: 'unavailable', reason: 'Microsoft answered with a list that is none.' }
  const next = page.links?.next?.headers.find(({ key }) => key.toLowerCase() === TOKEN.toLowerCase())
  return { kind: 'items', items: itemsOf(reply.text), next: next?.value }
}
