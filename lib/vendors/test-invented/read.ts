import 'server-only'
import { type Client, jsonOf } from '../client.ts'
import { hasSameIds, type SubscriptionRef, type VendorRead } from '../vendor.ts'
import { subscriptionPath } from './client.ts'
import { isMissing, unavailable } from './errors.ts'
import { observedOf } from './subscription.ts'

/** Reads one subscription; ids never change at Paperclip. */
export async function read(client: Client, ref: SubscriptionRef, signal: AbortSignal): Promise<VendorRead> {
  const reply = await client.call({ path: subscriptionPath(ref) }, signal)
  if (isMissing(reply)) {
    return { kind: 'missing', reason: 'Paperclip has no such subscription.' }
  }
  if (reply.kind !== 'answer' || reply.status !== 200) return unavailable(reply)
  const observed = observedOf(jsonOf(reply.text))
  return observed && hasSameIds(ref, observed) ? { kind: 'read', observed } : unavailable(reply)
}
