import 'server-only'
import type { Client } from '../client.ts'
import { jsonOf } from '../exchange.ts'
import type { Observed, WriteAnswer } from '../vendor.ts'
import { subscriptionPath } from './client.ts'
import { refusal } from './errors.ts'
import { observedOf } from './subscription.ts'

export async function setQuantity(
  { call }: Client,
  observed: Observed,
  total: number,
  requestId: string,
  signal: AbortSignal,
): Promise<WriteAnswer> {
  const body = JSON.stringify({ licenses: total })
  const reply = await call({ path: subscriptionPath(observed), method: 'PUT', requestId, body }, signal)
  if (reply.kind !== 'answer' || reply.status !== 200) return refusal(reply)
  const changed = observedOf(jsonOf(reply.text))
  if (changed?.seats.purchased === total) return { kind: 'applied', observed: changed }
  return { kind: 'unknown', reason: 'Paperclip’s answer does not show the new total.' }
}
