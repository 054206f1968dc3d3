import 'server-only'
import type { Client } from '../client.ts'
import type { SubscriptionRef, VendorRead } from '../vendor.ts'
import type { Assignments } from './assigned.ts'
import { subscriptionPath } from './client.ts'
import { closed, isMissing, mixedUp, nonsense, unavailable } from './errors.ts'
import { ofCustomer } from './list.ts'
import { hasSameName, isSame, skuOf } from './same.ts'
import { etagOf, observedOf, withAssigned } from './subscription.ts'

/** Timeout of the count within a read, in milliseconds: the reader waits. */
const COUNT_TIMEOUT_MS = 1500

/** Reads one subscription by its id, or by customer and SKU if the id has changed. */
export async function read(
  client: Client,
  assigned: Assignments,
  ref: SubscriptionRef,
  signal: AbortSignal,
): Promise<VendorRead> {
  const { customerId } = ref
  const vendorRead = await readAnySku(client, ref, signal)
  if (vendorRead.kind === 'missing') return findAgain(client, assigned, ref, signal)
  if (vendorRead.kind !== 'read') return vendorRead
  const { observed } = vendorRead
  const counts = await assigned(
    client,
    { customerId, subscriptions: [observed], timeoutMs: COUNT_TIMEOUT_MS },
    signal,
  )
  return { kind: 'read', observed: withAssigned(observed, counts.get(observed.subscriptionId)) }
}

/** Reads the subscription with this id, without assigned licenses. Rejects an answer about another SKU as mixed up. */
export async function readOne(
  client: Client,
  ref: SubscriptionRef,
  signal: AbortSignal,
): Promise<VendorRead> {
  const reading = await fetchOne(client, ref, signal)
  return reading.kind !== 'read' || isSame(ref, reading.observed) ? reading : mixedUp()
}

/**
 * Reads like `readOne`, but accepts another SKU if two answers in a row name it: a single one may be about another
 * subscription.
 */
async function readAnySku(client: Client, ref: SubscriptionRef, signal: AbortSignal): Promise<VendorRead> {
  const first = await fetchOne(client, ref, signal)
  if (first.kind !== 'read' || isSame(ref, first.observed)) return first
  const { skuId } = first.observed
  const second = await fetchOne(client, ref, signal)
  if (second.kind !== 'read' || isSame(ref, second.observed)) return second
  return hasSameName(ref, second.observed) && second.observed.skuId === skuId ? second : mixedUp()
}

async function fetchOne(client: Client, ref: SubscriptionRef, signal: AbortSignal): Promise<VendorRead> {
  const reply = await client.call({ path: subscriptionPath(ref) }, signal)
  if (isMissing(reply)) return { kind: 'missing', reason: 'Microsoft has no such subscription.' }
  if (reply.kind !== 'answer' || reply.status !== 200) return closed(reply) ?? unavailable(reply)
  const observed = observedOf(reply.text, { customerId: ref.customerId, etag: etagOf(reply.headers) })
  return observed ? { kind: 'read', observed } : nonsense()
}

/** Finds the customer's only live subscription of a SKU: an upgrade or a transfer changes the id. */
async function findAgain(
  client: Client,
  assigned: Assignments,
  { customerId, skuId }: SubscriptionRef,
  signal: AbortSignal,
): Promise<VendorRead> {
  const answer = await ofCustomer(client, assigned, customerId, signal)
  if (answer.kind === 'failed') return answer.error
  const items = answer.kind === 'all' ? answer.items : []
  const living = items.filter((item) => item.skuId === skuOf(skuId) && item.status !== 'CANCELLED')
  const [match, another] = living
  if (match && !another) return { kind: 'read', observed: match }
  // An unreadable subscription might be the one.
  if (!match && answer.kind === 'all' && answer.unread > 0) return nonsense()
  const reason = match ? `${living.length} subscriptions of this SKU` : 'no subscription of this SKU'
  return { kind: 'missing', reason: `Microsoft has ${reason} for the customer.` }
}
