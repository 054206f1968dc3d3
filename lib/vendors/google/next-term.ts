import 'server-only'
import type { Client } from '../client.ts'
import { jsonOf } from '../exchange.ts'
import type { NextTerm, Observed, WriteAnswer } from '../vendor.ts'
import { subscriptionPath } from './client.ts'
import { refusal } from './errors.ts'
import { changedOf } from './subscription.ts'

/** Says by one of Google's own words how an annual plan renews; it takes no total for the next term. */
export async function setNextTerm(
  client: Client,
  observed: Observed,
  next: NextTerm,
  signal: AbortSignal,
): Promise<WriteAnswer> {
  if (!('renewalType' in next)) return nothingSent('Google takes no total for the next term.')
  const path = `${subscriptionPath(observed)}/changeRenewalSettings`
  const body = JSON.stringify({ kind: 'subscriptions#renewalSettings', renewalType: next.renewalType })
  const reply = await client.call({ path, method: 'POST', body }, signal)
  if (reply.kind !== 'answer' || reply.status < 200 || reply.status > 299) {
    const refused = refusal(reply)
    return refused === 'gone' ? nothingSent('Google lists this subscription, but does not find it.') : refused
  }
  const changed = changedOf(observed, jsonOf(reply.text))
  if (changed?.renewalType === next.renewalType) return { kind: 'applied', observed: changed }
  return { kind: 'unknown', reason: 'Google answered without the way to renew that was asked for.' }
}

function nothingSent(reason: string): WriteAnswer {
  return { kind: 'not_sent', code: 'vendor_unavailable', reason }
}
