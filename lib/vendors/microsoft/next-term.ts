import 'server-only'
import type { Client } from '../client.ts'
import type { NextTerm, Observed, WriteAnswer } from '../vendor.ts'
import { subscriptionPath } from './client.ts'
import { refusal } from './errors.ts'
import { orderOf } from './own/own.ts'
import { changedOf } from './subscription.ts'

/**
 * Orders a total for the next term, or takes the order away, by the whole object that was just read and under the
 * condition of its ETag: one that arrives late, after another write, is refused (error 2055), and says that it is not
 * done. A mid-term change of the licenses deletes such an order at Microsoft.
 */
export async function setNextTerm(
  client: Client,
  observed: Observed,
  next: NextTerm,
  requestId: string,
  signal: AbortSignal,
): Promise<WriteAnswer> {
  if (!('total' in next)) return nothingSent('Microsoft knows no ways to renew by name.')
  const order = orderOf(observed, next.total)
  if (!order) return nothingSent('Microsoft did not say what would be renewed.')
  const { body, ifMatch } = order
  const path = subscriptionPath(observed)
  const call = { path, method: 'PATCH', headers: { 'If-Match': ifMatch }, body, requestId } as const
  const reply = await client.call(call, signal)
  if (reply.kind !== 'answer' || reply.status < 200 || reply.status > 299) {
    const refused = refusal(reply)
    return refused === 'stale' ? nothingSent('Someone else changed this subscription just now.') : refused
  }
  const changed = changedOf(observed, reply)
  const vendorRequestId = reply.correlationId
  if (changed && changed.scheduled?.total === next.total)
    return { kind: 'applied', observed: changed, vendorRequestId }
  const reason = `Microsoft answered ${reply.status}, and has not shown the order for the next term.`
  return { kind: 'unknown', reason, vendorRequestId }
}

function nothingSent(reason: string): WriteAnswer {
  return { kind: 'not_sent', code: 'vendor_unavailable', reason }
}
