import 'server-only'
import { z } from 'zod'
import { type Client, jsonOf, type Reply } from '../client.ts'
import type { SubscriptionRef } from '../vendor.ts'
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
/** Seconds without asking, after the application was not let in, and after it got no answer. */
const SHUT = 3600
const SLOW = 60
/** More than the offers that there are. */
const MAX_OFFERS = 20_000
/** Of offers that give more than one SKU. */
const MAX_SUBSCRIPTIONS = 20_000

/**
 * @param client people's, or that of a job
 * @param patienceMs how long its caller can be kept waiting for what it can do without
 */
export type Assignments = (
  client: Client,
  customerId: string,
  subscriptions: readonly Pick<SubscriptionRef, 'subscriptionId' | 'skuId'>[],
  timeoutMs: number,
  signal: AbortSignal,
) => Promise<Assigned>

/**
 * Counts assigned licenses, as far as the application is let in: Partner Center may want a signed-in user for both
 * calls. The count belongs to the customer and the SKU, so two subscriptions of one SKU show the same. The SKU's id
 * there is Entra's and not the offer's: a subscription's provisioning status tells it, which does not change.
 */
export function assignments(): Assignments {
  const offerSkus = offers()
  let shutUntil = 0

  async function fetchParsed<Schema extends z.ZodType>(
    { call }: Client,
    path: string,
    schema: Schema,
    signal: AbortSignal,
  ) {
    if (Date.now() < shutUntil) return undefined
    const reply = await call({ path }, signal)
    shutUntil = Math.max(shutUntil, Date.now() + shutSeconds(reply) * 1000)
    if (reply.kind !== 'answer' || reply.status !== 200) return undefined
    return schema.safeParse(jsonOf(reply.text)).data
  }

  return async (client, customerId, subscriptions, timeoutMs, callerSignal) => {
    const signal = AbortSignal.any([callerSignal, AbortSignal.timeout(timeoutMs)])
    const list = await fetchParsed(client, `${customerPath(customerId)}/subscribedskus`, Skus, signal)
    if (!list) return new Map()
    const skuOf = ({ skuId, subscriptionId }: (typeof subscriptions)[number]) =>
      offerSkus.skuOf(skuId, subscriptionId)
    const unknown = subscriptions.filter((one) => skuOf(one) === undefined)
    for (let at = 0; at < unknown.length && !signal.aborted; at += AT_ONCE) {
      // One before may have said it of another.
      const some = unknown.slice(at, at + AT_ONCE).filter((one) => skuOf(one) === undefined)
      await Promise.all(
        some.map(async ({ skuId, subscriptionId }) => {
          const path = `${subscriptionPath({ customerId, subscriptionId })}/provisioningstatus`
          const status = await fetchParsed(client, path, Status, signal)
          if (status) offerSkus.learn(skuId, subscriptionId, status.skuId.toLowerCase())
        }),
      )
    }
    const counts = new Map(list.items.map((item) => [item.productSku.id.toLowerCase(), item.consumedUnits]))
    const countPairs = subscriptions.map((one) => [one.subscriptionId, counts.get(skuOf(one) ?? '')] as const)
    return new Map(countPairs.filter((pair): pair is [string, number] => pair[1] !== undefined))
  }
}

function shutSeconds(reply: Reply): number {
  if (reply.kind === 'cut') return SLOW
  if (reply.kind === 'unsent') return 0
  return reply.status === 401 || reply.status === 403 ? SHUT : 0
}

/** What one subscription told of its offer, until a second one says the same. */
type OfferSku = { sku: string; by: string; isAgreed: boolean }

type Offers = {
  /** @returns the SKU in small letters; undefined where a subscription has to be asked for it */
  skuOf(offer: string, subscriptionId: string): string | undefined
  learn(offer: string, subscriptionId: string, sku: string): void
}

/**
 * Remembers what subscriptions told of their SKU. That an offer (product and SKU) always gives the same one is how it
 * looks, and is nowhere promised: so two subscriptions of an offer have to agree before others are not asked any more,
 * and where they don't, each is asked for itself. There are some hundred offers, whatever the number of subscriptions:
 * what is kept here stays small, and a process that starts anew knows all again after two calls for each.
 */
function offers(): Offers {
  const skuByOffer = new Map<string, OfferSku | 'several'>()
  const skuBySubscription = new Map<string, string>()
  return {
    skuOf(offer, subscriptionId) {
      const offerSku = skuByOffer.get(offer)
      if (offerSku === 'several') return skuBySubscription.get(subscriptionId)
      return offerSku?.isAgreed || offerSku?.by === subscriptionId ? offerSku.sku : undefined
    },
    learn(offer, subscriptionId, sku) {
      const offerSku = skuByOffer.get(offer)
      const isOther = offerSku === 'several' || (offerSku !== undefined && offerSku.sku !== sku)
      if (isOther) setBounded(skuBySubscription, subscriptionId, sku, MAX_SUBSCRIPTIONS)
      const isAgreed = offerSku !== undefined && offerSku !== 'several' && offerSku.by !== subscriptionId
      setBounded(skuByOffer, offer, isOther ? 'several' : { sku, by: subscriptionId, isAgreed }, MAX_OFFERS)
    },
  }
}

/** The oldest makes room for the newest. */
function setBounded<Value>(map: Map<string, Value>, name: string, value: Value, most: number): void {
  map.delete(name)
  map.set(name, value)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}
