import 'server-only'
import { z } from 'zod'
import { type Client, jsonOf, segment } from '../client.ts'
import { hasSameIds, type SentWrite, type SubscriptionRef, type WriteAnswer } from '../vendor.ts'
import { unavailable } from './errors.ts'
import { observedOf } from './subscription.ts'

// Only for vendors that report a write's outcome: Paperclip finds a write by its order, or, if the answer was lost, by
// the id of the change.

const Order = z.object({
  order: z.string(),
  state: z.enum(['open', 'done', 'refused', 'void']),
  no: z.string().optional(),
  subscription: z.unknown().optional(),
})

export async function lookup(
  { call }: Client,
  ref: SubscriptionRef,
  { changeId, pollRef }: SentWrite,
  signal: AbortSignal,
): Promise<WriteAnswer> {
  const query = new URLSearchParams({ change: changeId })
  const path = pollRef === undefined ? `/orders?${query}` : `/orders/${segment(pollRef)}`
  const reply = await call({ path }, signal)
  const isAnswered = reply.kind === 'answer' && reply.status === 200
  const order = isAnswered ? Order.safeParse(jsonOf(reply.text)).data : undefined
  if (!order) return { kind: 'unknown', reason: unavailable(reply).reason, pollRef }
  if (order.state === 'refused') {
    return { kind: 'rejected', code: 'vendor_rejected', reason: `Paperclip says: ${order.no ?? 'no'}.` }
  }
  if (order.state === 'void') {
    return { kind: 'not_sent', code: 'vendor_unavailable', reason: 'Paperclip dropped the order.' }
  }
  const observed = observedOf(order.subscription)
  if (order.state === 'done' && observed && hasSameIds(ref, observed)) return { kind: 'applied', observed }
  return { kind: 'unknown', reason: 'Paperclip has not done the order yet.', pollRef: order.order }
}
