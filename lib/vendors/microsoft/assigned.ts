import 'server-only'
import { z } from 'zod'
import type { Client, Reply } from '../client.ts'
import { jsonOf, retryAfterOf } from '../exchange.ts'
import { customerPath, subscriptionPath } from './client.ts'

// Apart from the rest, because only Microsoft counts assigned licenses elsewhere than it keeps subscriptions.

/** Users that hold a license, by the subscription's id; a subscription of which that is not known is left out. */
type Assigned = Map<string, number>

const Status = z.object({ skuId: z.string().min(1) })
const Skus = z.object({
  items: z.array(
    z.object({ consumedUnits: z.int().min(0).max(2_147_483_647), productSku: z.object({ id: z.string() }) }),
  ),
})

const AT_ONCE = 4
const MAX_REMEMBERED = 10_000
/** Seconds without asking, after the application was not let in, and after it got no answer. */
const SHUT = 3600
const SLOW = 60

/** @param patienceMs how long its caller can be kept waiting for what it can do without */
export type Assignments = (
  customerId: string,
  subscriptionIds: string[],
  patienceMs: number,
  signal: AbortSignal,
) => Promise<Assigned>

/**
 * Counts assigned licenses, as far as the application is let in: Partner Center may want a signed-in user for both
 * calls. The count belongs to the customer and the SKU, so two subscriptions of one SKU show the same. The SKU's id
 * there is Entra's and not the offer's: a subscription's provisioning status tells it, once, as it does not change.
 */
export function assignments({ call }: Client): Assignments {
  const skus = new Map<string, string>()
  let shutUntil = 0

  async function ask<Schema extends z.ZodType>(path: string, schema: Schema, signal: AbortSignal) {
    if (Date.now() < shutUntil) return undefined
    const reply = await call({ path }, signal)
    shutUntil = Math.max(shutUntil, Date.now() + shutSeconds(reply) * 1000)
    if (reply.kind !== 'answer' || reply.status !== 200) return undefined
    return schema.safeParse(jsonOf(reply.text)).data
  }

  async function learnSku(customerId: string, subscriptionId: string, signal: AbortSignal) {
    const path = `${subscriptionPath({ customerId, subscriptionId })}/provisioningstatus`
    const sku = (await ask(path, Status, signal))?.skuId.toLowerCase()
    if (skus.size >= MAX_REMEMBERED) skus.clear()
    if (sku !== undefined) skus.set(subscriptionId, sku)
  }

  return async (customerId, subscriptionIds, patienceMs, given) => {
    const signal = AbortSignal.any([given, AbortSignal.timeout(patienceMs)])
    const list = await ask(`${customerPath(customerId)}/subscribedskus`, Skus, signal)
    if (!list) return new Map()
    const unknown = subscriptionIds.filter((id) => !skus.has(id))
    for (let at = 0; at < unknown.length && !signal.aborted; at += AT_ONCE) {
      const some = unknown.slice(at, at + AT_ONCE)
      await Promise.all(some.map((id) => learnSku(customerId, id, signal)))
    }
    const counts = new Map(list.items.map((item) => [item.productSku.id.toLowerCase(), item.consumedUnits]))
    const found = subscriptionIds.map((id) => [id, counts.get(skus.get(id) ?? '')] as const)
    return new Map(found.filter((pair): pair is [string, number] => pair[1] !== undefined))
  }
}

function shutSeconds(reply: Reply): number {
  if (reply.kind === 'cut') return SLOW
  if (reply.kind === 'unsent') return 0
  if (reply.status === 401 || reply.status === 403) return SHUT
  return reply.status === 429 ? Math.min(retryAfterOf(reply.headers) ?? SLOW, SHUT) : 0
}
