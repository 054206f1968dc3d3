import 'server-only'
import { type Client, jsonOf } from '../client.ts'
import { isSameBasis, type NextTerm, type Observed, type WriteAnswer } from '../vendor.ts'
import { subscriptionPath } from './client.ts'
import { writeFailure } from './errors.ts'
import { findAgain } from './read.ts'
import { changedOf, seatField } from './subscription.ts'

/**
 * Sets a total by the one field that the plan uses. If the id has changed since the read, the subscription is searched
 * for once, and written once more if all inputs of our decision are unchanged. Google has no idempotent calls.
 */
export async function setQuantity(
  client: Client,
  observed: Observed,
  total: number,
  signal: AbortSignal,
): Promise<WriteAnswer> {
  const first = await write(client, observed, total, signal)
  if (first !== 'gone') return first
  const current = await findAgain(client, observed, signal)
  if (current.kind === 'missing') return { kind: 'rejected', code: 'vendor_rejected', reason: current.reason }
  if (current.kind === 'unavailable') {
    const { reason, retryAfter } = current
    return { kind: 'not_sent', code: 'vendor_unavailable', reason, retryAfter }
  }
  // A changed id is followed; any other change needs a new decision.
  if (!isSameBasis(observed, current.observed)) {
    const reason = 'The subscription was changed at Google in this moment.'
    return { kind: 'not_sent', code: 'change_in_progress', reason, retryAfter: 1 }
  }
  const second = await write(client, current.observed, total, signal)
  if (second !== 'gone') return second
  const reason = 'Google lists this subscription, but does not find it.'
  return { kind: 'not_sent', code: 'vendor_unavailable', reason }
}

async function write(
  client: Client,
  observed: Observed,
  total: number,
  signal: AbortSignal,
): Promise<WriteAnswer | 'gone'> {
  const path = `${subscriptionPath(observed)}/changeSeats`
  const body = JSON.stringify({ [seatField(observed)]: total })
  const reply = await client.call({ path, method: 'POST', body }, signal)
  if (reply.kind !== 'answer' || reply.status < 200 || reply.status > 299) return writeFailure(reply)
  const changed = changedOf(observed, jsonOf(reply.text))
  if (!changed) return { kind: 'unknown', reason: "Google's answer could not be understood." }
  if (changed.seats.purchased !== total) {
    const reason = `Google answered with ${changed.seats.purchased} licenses instead of ${total}.`
    return { kind: 'unknown', reason }
  }
  return { kind: 'applied', observed: changed }
}

/** Sets the renewal type of an annual plan, in Google's terms; it takes no total for the next term. */
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
    const failure = writeFailure(reply)
    return failure === 'gone' ? nothingSent('Google lists this subscription, but does not find it.') : failure
  }
  const changed = changedOf(observed, jsonOf(reply.text))
  if (changed?.renewalType === next.renewalType) return { kind: 'applied', observed: changed }
  return { kind: 'unknown', reason: 'Google answered without the way to renew that was asked for.' }
}

function nothingSent(reason: string): WriteAnswer {
  return { kind: 'not_sent', code: 'vendor_unavailable', reason }
}
