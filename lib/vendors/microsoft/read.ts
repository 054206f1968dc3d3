import 'server-only'
import type { Client } from '../client.ts'
import type { Reading, SubscriptionRef } from '../vendor.ts'
import type { Assignments } from './assigned.ts'
import { subscriptionPath } from './client.ts'
import { closed, isGone, mixedUp, nonsense, unavailable } from './errors.ts'
import { ofCustomer } from './list.ts'
import { isSame, skuOf } from './same.ts'
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
  const reading = await readOne(client, ref, signal)
  if (reading.kind === 'missing') return findAgain(client, assigned, ref, signal)
  if (reading.kind !== 'read') return reading
  const { observed } = reading
  const counts = await assigned(client, customerId, [observed], PATIENCE_MS, signal)
  return { kind: 'read', observed: withAssigned(observed, counts.get(observed.subscriptionId)) }
}

/** The subscription with this id, without the assigned licenses. */
export async function readOne(client: Client, ref: SubscriptionRef, signal: AbortSignal): Promise<Reading> {
  const reply = await client.call({ path: subscriptionPath(ref) }, signal)
  if (isGone(reply)) return { kind: 'missing', reason: 'Microsoft has no such subscription.' }
  if (reply.kind !== 'answer' || reply.status !== 200) return closed(reply) ?? unavailable(reply)
  const observed = observedOf(reply.text, { customerId: ref.customerId, etag: etagOf(reply.headers) })
  if (!observed) return nonsense()
  return isSame(ref, observed) ? { kind: 'read', observed } : mixedUp()
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
