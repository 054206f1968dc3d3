import 'server-only'
import { z } from 'zod'
import { type Client, jsonOf } from '../client.ts'
import type { StaleCursor, Unavailable } from '../vendor.ts'
import { customersPath } from './client.ts'
import { isMissing, unavailable } from './errors.ts'
import { itemsOf } from './raw-subscription.ts'

// The reseller's customers: Microsoft alone lists subscriptions by customer only.

/** A call for 500 customers costs the same as one for ten. */
const CUSTOMERS_A_PAGE = '500'
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

/** Each item is its JSON, as it came. */
type Items = { kind: 'items'; items: string[]; next: string | undefined }
/** A customer that has left, or that no longer lets the reseller in. */
export type ClosedCustomer = { kind: 'gone'; reason: string }
/** `stops`: nobody else would be let through either, so that there is no use in asking for another customer. */
export type Failed = { kind: 'failed'; error: Unavailable; stops: boolean }

type Ids = { ids: string[]; next: string | undefined }

/** A page of customers' ids, by its token; `isNew` where it must not be one that is remembered. */
export type Customers = (
  token: string | undefined,
  isNew: boolean,
  signal: AbortSignal,
) => Promise<({ kind: 'ids' } & Ids) | StaleCursor | Unavailable>

/** The list of customers. The latest page is remembered, for its customers are read some at a time. */
export function customerList(client: Client): Customers {
  let latest: (Ids & { token: string | undefined }) | undefined
  return async (token, isNew, signal) => {
    if (latest && latest.token === token && !isNew) return { ...latest, kind: 'ids' }
    const page = await pageOf(client, { path: customersPath, size: CUSTOMERS_A_PAGE, token }, signal)
    if (page.kind === 'stale') return page
    if (page.kind === 'failed') return page.error
    if (page.kind === 'gone') return { kind: 'unavailable', reason: page.reason }
    const ids = page.items.flatMap((json) => Customer.safeParse(jsonOf(json)).data?.id ?? [])
    // A token that leads to itself would never end.
    latest = { token, ids, next: page.next === token ? undefined : page.next }
    return { ...latest, kind: 'ids' }
  }
}

/** A page of whatever Partner Center lists. */
export async function pageOf(
  { call }: Client,
  { path, size, token }: { path: string; size?: string; token: string | undefined },
  signal: AbortSignal,
): Promise<Items | ClosedCustomer | StaleCursor | Failed> {
  const query = new URLSearchParams(size === undefined ? {} : { size })
  if (token !== undefined) query.set('seekOperation', 'Next')
  const headers: Record<string, string> = token === undefined ? {} : { [TOKEN]: token }
  const reply = await call({ path: query.size > 0 ? `${path}?${query}` : path, headers }, signal)
  const error = unavailable(reply)
  if (reply.kind !== 'answer') return { kind: 'failed', error, stops: reply.kind === 'unsent' }
  if (reply.status === 400 && token !== undefined) return { kind: 'stale', reason: error.reason }
  if (reply.status === 403 || isMissing(reply)) return { kind: 'gone', reason: error.reason }
  const stops = reply.status === 401 || error.why === 'throttled'
  if (reply.status !== 200) return { kind: 'failed', error, stops }
  const page = Page.safeParse(jsonOf(reply.text)).data
  const reason = 'Microsoft answered with a list that is none.'
  if (!page) return { kind: 'failed', error: { kind: 'unavailable', reason }, stops: false }
  const next = page.links?.next?.headers.find(({ key }) => key.toLowerCase() === TOKEN.toLowerCase())
  return { kind: 'items', items: itemsOf(reply.text), next: next?.value }
}
