import 'server-only'
import { z } from 'zod'
import type { Observed, RemoteVendor, Unavailable } from '../vendor.ts'
import type { assignments } from './assigned.ts'
import { type Client, customerPath } from './client.ts'
import { unavailable } from './errors.ts'
import { itemsOf, jsonOf } from './json.ts'
import { isMetered, observedOf, withAssigned } from './subscription.ts'

const CUSTOMERS_A_PAGE = 10
const MAX_PAGES = 100
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
type Gone = { kind: 'gone'; reason: string }

/** What Partner Center lists: customers page by page, and all subscriptions of a customer. */
export function listing({ call }: Client, assigned: ReturnType<typeof assignments>) {
  async function page(
    path: string,
    token: string | undefined,
    signal: AbortSignal,
  ): Promise<Items | Gone | Unavailable> {
    const query = path.includes('?') ? '&' : '?'
    const [address, headers] =
      token === undefined ? [path, {}] : [`${path}${query}seekOperation=Next`, { [TOKEN]: token }]
    const reply = await call(address, signal, { headers })
    if (reply.kind !== 'answer' || reply.status !== 200) {
      // A customer that has left, or that no longer lets the reseller in.
      const isGone = reply.kind === 'answer' && [403, 404].includes(reply.status)
      return isGone ? { kind: 'gone', reason: unavailable(reply).reason } : unavailable(reply)
    }
    const parsed = Page.safeParse(jsonOf(reply.text)).data
    if (!parsed) return { kind: 'unavailable', reason: 'Microsoft answered with a list that is none.' }
    const next = parsed.links?.next?.headers.find(({ key }) => key.toLowerCase() === TOKEN.toLowerCase())
    return { kind: 'items', items: itemsOf(reply.text), next: next?.value }
  }

  /** All subscriptions of a customer that have licenses; one that can't be understood is left out. */
  async function ofCustomer(
    customerId: string,
    signal: AbortSignal,
  ): Promise<{ kind: 'all'; items: Observed[] } | Gone | Unavailable> {
    const found: string[] = []
    let token: string | undefined
    for (let turn = 0; turn < MAX_PAGES; turn++) {
      const reply = await page(`${customerPath(customerId)}/subscriptions`, token, signal)
      if (reply.kind !== 'items') return reply
      found.push(...reply.items)
      token = reply.next
      if (token === undefined) break
    }
    if (token !== undefined) return { kind: 'unavailable', reason: 'Microsoft’s list has no end.' }
    const licensed = found.filter((json) => !isMetered(jsonOf(json)))
    const items = licensed.flatMap(
      (json) => observedOf({ customerId, json, header: null, assigned: undefined }) ?? [],
    )
    if (items.length === 0) return { kind: 'all', items }
    const ids = items.map(({ subscriptionId }) => subscriptionId)
    const counts = await assigned(customerId, ids, signal, PATIENCE_MS)
    return { kind: 'all', items: items.map((item) => withAssigned(item, counts.get(item.subscriptionId))) }
  }

  const list: RemoteVendor['list'] = async (cursor, signal) => {
    const customers = await page(`/v1/customers?size=${CUSTOMERS_A_PAGE}`, cursor, signal)
    if (customers.kind !== 'items') return { ...customers, kind: 'unavailable' }
    const ids = customers.items.flatMap((json) => Customer.safeParse(jsonOf(json)).data?.id ?? [])
    const answers = await Promise.all(ids.map((id) => ofCustomer(id, signal)))
    const failed = answers.find((answer) => answer.kind === 'unavailable')
    if (failed) return failed
    const items = answers.flatMap((answer) => (answer.kind === 'all' ? answer.items : []))
    // A token that leads to itself would never end.
    const next = customers.next === cursor ? undefined : customers.next
    return { kind: 'page', items, next }
  }

  return { list, ofCustomer }
}
