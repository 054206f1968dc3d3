import 'server-only'
import { z } from 'zod'
import { type Client, jsonOf, type Reply } from '../client.ts'
import type { SubscriptionRef } from '../vendor.ts'
import { customerPath, subscriptionPath } from './client.ts'

// Separate, because only Microsoft counts assigned licenses in another place than subscriptions.

/** Users with a license by subscription id; subscriptions with an unknown number are omitted. */
type Assigned = Map<string, number>

const Status = z.object({ skuId: z.string().min(1) })
const Skus = z.object({
  items: z.array(
    z.object({ consumedUnits: z.int().min(0).max(2_147_483_647), productSku: z.object({ id: z.string() }) }),
  ),
})

const AT_ONCE = 4
/** Seconds without further calls after access was denied, and after a call failed. */
const SHUT = 3600
const SLOW = 60
/** Most remembered offers, more than exist. */
const MAX_OFFERS = 20_000
/** Most remembered subscriptions, of offers with more than one SKU. */
const MAX_SUBSCRIPTIONS = 20_000

type AssignedRequest = {
  customerId: string
  subscriptions: readonly Pick<SubscriptionRef, 'subscriptionId' | 'skuId'>[]
  /** Longest time for which the caller waits for these optional numbers, in milliseconds. */
  timeoutMs: number
}

/**
 * Returns the assigned licenses of a customer's subscriptions.
 * @param client client of people's calls, or of a job's
 */
export type Assignments = (client: Client, request: AssignedRequest, signal: AbortSignal) => Promise<Assigned>

/**
 * Returns a counter of assigned licenses, as far as the application has access: Partner Center may require a signed-in
 * user for both calls. Licenses are counted per customer and SKU, so two subscriptions of one SKU have the same number.
 * That SKU's id is Entra's instead of the offer's: a subscription's provisioning status contains it, and it never
 * changes.
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

  return async (client, { customerId, subscriptions, timeoutMs }, callerSignal) => {
    const signal = AbortSignal.any([callerSignal, AbortSignal.timeout(timeoutMs)])
    const list = await fetchParsed(client, `${customerPath(customerId)}/subscribedskus`, Skus, signal)
    if (!list) return new Map()
    const skuOf = ({ skuId, subscriptionId }: (typeof subscriptions)[number]) =>
      offerSkus.skuOf(skuId, subscriptionId)
    const unknown = subscriptions.filter((one) => skuOf(one) === undefined)
    for (let at = 0; at < unknown.length && !signal.aborted; at += AT_ONCE) {
      // An earlier subscription may have settled the SKU of the offer.
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

/** SKU of an offer by one subscription, until a second subscription confirms it. */
type OfferSku = { sku: string; by: string; isAgreed: boolean }

type Offers = {
  /** @returns the SKU in lower case; undefined if the subscription has to be queried */
  skuOf(offer: string, subscriptionId: string): string | undefined
  learn(offer: string, subscriptionId: string, sku: string): void
}

/**
 * Returns a memory of SKUs by offer. An offer (product and SKU) apparently always has the same SKU, which is not
 * documented: two subscriptions of an offer have to agree before others are not queried any more, and if they differ,
 * each is queried. There are some hundred offers, regardless of the number of subscriptions, so the memory stays small,
 * and a new process rebuilds it with two calls per offer.
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

/** Adds an entry to a bounded map, which evicts its oldest entry. */
function setBounded<Value>(map: Map<string, Value>, name: string, value: Value, most: number): void {
  map.delete(name)
  map.set(name, value)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}
