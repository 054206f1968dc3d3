import 'server-only'
import { z } from 'zod'
import { type Client, jsonOf } from '../client.ts'
import { hasSameIds, type Observed, type WriteAnswer } from '../vendor.ts'
import { subscriptionPath } from './client.ts'
import { writeFailure } from './errors.ts'
import { observedOf } from './subscription.ts'

/** Answer to a slow write: an order to poll, see lookup.ts. */
const AcceptedOrder = z.object({ order: z.string() })

export async function setQuantity(
  { call }: Client,
  observed: Observed,
  { total, requestId }: { total: number; requestId: string },
  signal: AbortSignal,
): Promise<WriteAnswer> {
  const body = JSON.stringify({ licenses: total })
  const reply = await call({ path: subscriptionPath(observed), method: 'PUT', requestId, body }, signal)
  const accepted =
    reply.kind === 'answer' && reply.status === 202 && AcceptedOrder.safeParse(jsonOf(reply.text)).data
  if (accepted) return { kind: 'unknown', reason: 'Paperclip took the order.', pollRef: accepted.order }
  if (reply.kind !== 'answer' || reply.status !== 200) return writeFailure(reply)
  const changed = observedOf(jsonOf(reply.text))
  const isOurs = changed !== undefined && hasSameIds(observed, changed)
  if (isOurs && changed.seats.purchased === total) return { kind: 'applied', observed: changed }
  return { kind: 'unknown', reason: 'Paperclip’s answer does not show the new total.' }
}
