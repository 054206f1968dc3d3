import 'server-only'
import { type Client, jsonOf } from '../client.ts'
import type { Observed, SubscriptionRef, VendorRead } from '../vendor.ts'
import { subscriptionPath } from './client.ts'
import { closed, isMissing, nonsense, unavailable } from './errors.ts'
import { ofCustomer } from './list.ts'
import { isOfCustomer, observedOf } from './subscription.ts'

/** Reads one subscription by its id, or by customer and SKU if the id has changed. */
export async function read(client: Client, ref: SubscriptionRef, signal: AbortSignal): Promise<VendorRead> {
  const reply = await client.call({ path: subscriptionPath(ref) }, signal)
  if (isMissing(reply)) return findAgain(client, ref, signal)
  if (reply.kind !== 'answer' || reply.status !== 200) return closed(reply) ?? unavailable(reply)
  const resource = jsonOf(reply.text)
  const observed = observedOf(resource)
  if (!observed) return nonsense()
  // Another subscription under this id must not be accepted: the next decision would be applied to it.
  const isOurs =
    isOfCustomer(resource, ref.customerId) &&
    observed.subscriptionId === ref.subscriptionId &&
    observed.skuId === ref.skuId
  return isOurs ? { kind: 'read', observed } : findAgain(client, ref, signal)
}

/** Finds the customer's subscription of a SKU under its current id. */
export async function findAgain(
  client: Client,
  { customerId, skuId }: SubscriptionRef,
  signal: AbortSignal,
): Promise<VendorRead> {
  const answer = await ofCustomer(client, customerId, signal)
  if (answer.kind === 'unavailable') return answer
  const alike = answer.items.filter((item) => item.skuId === skuId)
  return alike.length === 0 && answer.unread > 0 ? nonsense() : theOne(alike)
}

/** Returns the one subscription in use of several; an ambiguous choice is refused. */
function theOne(alike: Observed[]): VendorRead {
  if (alike.length === 0) {
    return { kind: 'missing', reason: 'Google has no such subscription of this customer.' }
  }
  const active = alike.filter(({ status }) => status === 'ACTIVE')
  const open = alike.filter(({ status }) => status !== 'CANCELLED')
  const [observed, another] = [active, open, alike].find(({ length }) => length > 0) ?? []
  if (observed && !another) return { kind: 'read', observed }
  const reason = 'Which subscription is meant is not clear: the customer has several of this product.'
  return { kind: 'unavailable', reason, others: 'answer' }
}
