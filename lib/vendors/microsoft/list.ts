import 'server-only'
import pLimit from 'p-limit'
import { z } from 'zod'
import { type Client, jsonOf } from '../client.ts'
import type { VendorPage } from '../declaration.ts'
import type { Observed, StaleCursor, Unavailable } from '../vendor.ts'
import type { Assignments } from './assigned.ts'
import { customerPath } from './client.ts'
import { type ClosedCustomer, type Customers, type Failed, pageOf } from './customers.ts'
import { isMetered, observedOf, withAssigned } from './subscription.ts'

/** Customers per page: two calls each, so that a page takes some seconds, and its loss costs little. */
const CUSTOMERS = 20
const AT_ONCE = 4
/** Longest time for one customer, in milliseconds. */
const CUSTOMER_MS = 10_000
const COUNT_TIMEOUT_MS = 5000
/** Number of failing customers, without a successful one, that counts as a failure of the vendor. */
const TOO_MANY = 10
const MAX_PAGES = 100

type All = { kind: 'all'; items: Observed[]; unread: number }

/** Token of a page of customers, and the customer there after whom the list continues. */
const Cursor = z.tuple([z.string().nullable(), z.string().nullable()])

/** State of a list: `client` for its calls, and the memory that is kept from page to page. */
export type Listing = { client: Client; assigned: Assignments; customers: Customers }

/**
 * Returns a page of the subscriptions of all customers, complete for each customer. A failing customer is reported, and
 * the list continues. After a loss of access, the page ends before the first refused customer, where the next page
 * begins.
 */
export async function list(
  listing: Listing,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<VendorPage | StaleCursor | Unavailable> {
  const position = Cursor.safeParse(cursor === undefined ? [null, null] : jsonOf(cursor)).data
  if (!position)
    return { kind: 'stale', reason: 'The cursor names no place in Microsoft’s list of customers.' }
  const [token, after] = position
  const customers = await listing.customers(token ?? undefined, after === null, signal)
  if (customers.kind !== 'ids') return customers
  // A customer that has left since is not in its page any more: the page is read again.
  const begin = after === null ? 0 : customers.ids.indexOf(after) + 1
  const ids = customers.ids.slice(begin, begin + CUSTOMERS)
  const answers = await ofEach(listing, ids, signal)
  const stop = answers.findIndex((answer) => answer.kind === 'failed' && answer.stops)
  const read = stop < 0 ? answers : answers.slice(0, stop)
  const failures = answers.filter((answer) => answer.kind === 'failed')
  const [failure] = failures
  if (failure && (stop === 0 || (read.length >= TOO_MANY && failures.length === answers.length))) {
    return failure.error
  }
  const last = ids[read.length - 1] ?? null
  const isEnd = begin + read.length >= customers.ids.length
  const all = read.filter((answer) => answer.kind === 'all')
  return {
    kind: 'page',
    items: all.flatMap((answer) => answer.items),
    failed: ids.filter((_id, at) => read[at]?.kind === 'failed'),
    next: isEnd ? startOf(customers.next) : JSON.stringify([token, last]),
    unread: all.reduce((sum, answer) => sum + answer.unread, 0),
  }
}

function startOf(token: string | undefined): string | undefined {
  return token === undefined ? undefined : JSON.stringify([token, null])
}

/** Reads each customer's subscriptions, several customers in parallel; stops after a loss of access. */
async function ofEach(
  { client, assigned }: Listing,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<(All | ClosedCustomer | Failed)[]> {
  let stopped: Failed | undefined
  const limited = pLimit(AT_ONCE)
  const one = async (id: string) => {
    if (stopped) return stopped
    const time = AbortSignal.any([signal, AbortSignal.timeout(CUSTOMER_MS)])
    const answer = await ofCustomer(client, assigned, id, time)
    if (answer.kind === 'failed' && answer.stops) stopped = answer
    return answer
  }
  return Promise.all(ids.map((id) => limited(one, id)))
}

/** Returns all subscriptions of a customer with licenses; invalid ones are left out. */
export async function ofCustomer(
  client: Client,
  assigned: Assignments,
  customerId: string,
  signal: AbortSignal,
): Promise<All | ClosedCustomer | Failed> {
  const subscriptions: string[] = []
  const path = `${customerPath(customerId)}/subscriptions`
  let token: string | undefined
  for (let pageIndex = 0; pageIndex < MAX_PAGES; pageIndex++) {
    const page = await pageOf(client, { path, token }, signal)
    if (page.kind === 'stale') return failed(page.reason)
    if (page.kind !== 'items') return page
    subscriptions.push(...page.items)
    token = page.next
    if (token === undefined) return counted(client, assigned, { customerId, subscriptions }, signal)
  }
  return failed('Microsoft’s list of the customer’s subscriptions does not end.')
}

function failed(reason: string): Failed {
  return { kind: 'failed', error: { kind: 'unavailable', reason }, stops: false }
}

async function counted(
  client: Client,
  assigned: Assignments,
  { customerId, subscriptions }: { customerId: string; subscriptions: string[] },
  signal: AbortSignal,
): Promise<All> {
  const licensed = subscriptions.filter((json) => !isMetered(jsonOf(json)))
  const items = licensed.flatMap((json) => observedOf(json, { customerId }) ?? [])
  const unread = licensed.length - items.length
  if (items.length === 0) return { kind: 'all', items, unread }
  const counts = await assigned(
    client,
    { customerId, subscriptions: items, timeoutMs: COUNT_TIMEOUT_MS },
    signal,
  )
  const whole = items.map((item) => withAssigned(item, counts.get(item.subscriptionId)))
  return { kind: 'all', items: whole, unread }
}
