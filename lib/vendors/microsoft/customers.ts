import 'server-only'
import { z } from 'zod'
import { type Client, jsonOf } from '../client.ts'
import type { StaleCursor, Unavailable } from '../vendor.ts'
import { customersPath } from './client.ts'
import { isMissing, unavailable } from './errors.ts'
import { itemsOf } from './raw-subscription.ts'

// Lists the reseller's customers, because Microsoft lists subscriptions by customer only.

/** Page size: a call for 500 customers costs the same as one for ten. */
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

/** Items of a list, each as its JSON. */
type Items = { kind: 'items'; items: string[]; next: string | undefined }
/** Customer that has left, or that no longer grants access to the reseller. */
export type ClosedCustomer = { kind: 'gone'; reason: string }
/** Failure to read a customer; `stops`: other customers would fail for the same reason, so that the list stops. */
export type Failed = { kind: 'failed'; error: Unavailable; stops: boolean }

type Ids = { ids: string[]; next: string | undefined }

/** Returns a page of customers' ids by its token; `isNew` bypasses the remembered one. */
export type Customers = (
  token: string | undefined,
  isNew: boolean,
  signal: AbortSignal,
) => Promise<({ kind: 'ids' } & Ids) | StaleCursor | Unavailable>

/**
 * Returns the list of customers, which remembers its latest page, because the page's customers are read in several
 * steps.
 */
export function customerList(client: Client): Customers {
  let latest: (Ids & { token: string | undefined }) | undefined
  return async (token, isNew, signal) => {
    if (latest && latest.token === token && !isNew) return { ...latest, kind: 'ids' }
    const page = await pageOf(client, { path: customersPath, size: CUSTOMERS_A_PAGE, token }, signal)
    if (page.kind === 'stale') return page
    if (page.kind === 'failed') return page.error
    if (page.kind === 'gone') return { kind: 'unavailable', reason: page.reason }
    const ids = page.items.flatMap((json) => Customer.safeParse(jsonOf(json)).data?.id ?? [])
    // A page token that equals the previous one would loop forever.
    latest = { token, ids, next: page.next === token ? undefined : page.next }
    return { ...latest, kind: 'ids' }
  }
}

/** Returns a page of any list of Partner Center. */
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
