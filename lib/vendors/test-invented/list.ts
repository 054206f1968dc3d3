import 'server-only'
import { z } from 'zod'
import { type Client, jsonOf } from '../client.ts'
import type { VendorPage } from '../declaration.ts'
import type { Unavailable } from '../vendor.ts'
import { unavailable } from './errors.ts'
import { observedOf } from './subscription.ts'

const Page = z.object({ subscriptions: z.array(z.unknown()), next: z.string().optional() })

/** Returns a page of the subscriptions of all customers. */
export async function list(
  { call }: Client,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<VendorPage | Unavailable> {
  const query = cursor === undefined ? '' : `?${new URLSearchParams({ after: cursor })}`
  const reply = await call({ path: `/subscriptions${query}` }, signal)
  const page = reply.kind === 'answer' ? Page.safeParse(jsonOf(reply.text)).data : undefined
  if (!page) return unavailable(reply)
  const items = page.subscriptions.flatMap((resource) => observedOf(resource) ?? [])
  return {
    kind: 'page',
    items,
    failed: [],
    next: page.next,
    unread: page.subscriptions.length - items.length,
  }
}
