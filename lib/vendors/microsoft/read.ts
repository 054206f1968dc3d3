import 'server-only'
import type { Client } from '../client.ts'
import type { Reading, SubscriptionRef } from '../vendor.ts'
import type { Assignments } from './assigned.ts'
import { subscriptionPath } from './client.ts'
import { closed, isGone, mixedUp, nonsense, unavailable } from './errors.ts'
import { ofCustomer } from './list.ts'
import { hasSameName, isSame, skuOf } from './same.ts'
import { etagOf, observedOf, withAssigned } from './subscription.ts'

/** A read has little time, and its caller waits. */
const PATIENCE_MS = 1500

/** Reads one subscription by its id, or by customer and SKU where the id has changed. */
export async function read(
  client: Client,
  assigned: Assignments,
  ref: SubscriptionRef,
  signal: AbortSignal,
): Promise<Reading> {
  const { customerId } = ref
  const reading = await readAnySku(client, ref, signal)
  if (reading.kind === 'missing') return findAgain(client, assigned, ref, signal)
  if (reading.kind !== 'read') return reading
  const { observed } = reading
  const counts = await assigned(client, customerId, [observed], PATIENCE_MS, signal)
  return { kind: 'read', observed: withAssigned(observed, counts.get(observed.subscriptionId)) }
}

/** Reads the subscription with this id, without the assigned licenses; of another SKU it tells nothing. */
export async function readOne(client: Client, ref: SubscriptionRef, signal: AbortSignal): Promise<Reading> {
  const reading = await fetchOne(client, ref, signal)
  return reading.kind !== 'read' || isSame(ref, reading.observed) ? reading : mixedUp()
}

/** The same of whatever SKU, where two answers in a row name it: one alone may be about another subscription. */
async function readAnySku(client: Client, ref: SubscriptionRef, signal: AbortSignal): Promise<Reading> {
  const first = await fetchOne(client, ref, signal)
  if (first.kind !== 'read' || isSame(ref, first.observed)) return first
  const { skuId } = first.observed
  const second = await fetchOne(client, ref, signal)
  if (second.kind !== 'read' || isSame(ref, second.observed)) return second
  return hasSameName(ref, second.observed) && second.observed.skuId === skuId ? second : mixedUp()
}

async function fetchOne(client: Client, ref: SubscriptionRef, signal: AbortSignal): Promise<Reading> {
  const reply = await client.call({ path: subscriptionPath(ref) }, signal)
  if (isGone(reply)) return { kind: 'missing', reason: 'Microsoft has no such subscription.' }
  if (reply.kind !== 'answer' || reply.status !== 200) return closed(reply) ?? unavailable(reply)
  const observed = observedOf(reply.text, { customerId: ref.customerId, etag: etagOf(reply.headers) })
  return observed ? { kind: 'read', observed } : nonsense()
}

/** The customer's one living subscription of a SKU: an id changes with an upgrade or a transfer. */
async function findAgain(
  client: Client,
  assigned: Assignments,
  { customerId, skuId }: SubscriptionRef,
  signal: AbortSignal,
): Promise<Reading> {
  const answer = await ofCustomer(client, assigned, customerId, signal)
  if (answer.kind === 'failed') return answer.told
  const items = answer.kind === 'all' ? answer.items : []
  const living = items.filter((item) => item.skuId === skuOf(skuId) && item.status !== 'CANCELLED')
  const [found, another] = living
  if (found && !another) return { kind: 'read', observed: found }
  // What could not be understood may be the one.
  if (!found && answer.kind === 'all' && answer.unread > 0) return nonsense()
  const reason = found ? `${living.length} subscriptions of this SKU` : 'no subscription of this SKU'
  return { kind: 'missing', reason: `Microsoft has ${reason} for the customer.` }
}
