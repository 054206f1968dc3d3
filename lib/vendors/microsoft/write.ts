import 'server-only'
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { retryAfterOf } from '../exchange.ts'
import type { Observed, Reading, RemoteVendor, WriteAnswer } from '../vendor.ts'
import { type Client, type Reply, subscriptionPath } from './client.ts'
import { refusal } from './errors.ts'
import { changed } from './own.ts'
import { observedOf, withAssigned } from './subscription.ts'

/** Milliseconds between two looks at a write that Microsoft has accepted but not yet done. */
const FIRST_LOOK = 300
const LONGEST_LOOK = 2000
const LOOKS = 12

/**
 * Sets a total by the whole object that was just read, under the condition of its ETag. The caller asks for another
 * total than was read: Microsoft counts the updates of a subscription, and refuses them after some 1,200.
 *
 * Where the object has changed since (error 2055), it is read once more. Only if all that our rule looked at is still
 * the same, it is sent again, once: a rule decided on another count must not be applied. Else nothing was changed, and
 * the caller decides anew on a fresh read (`change_in_progress`).
 *
 * A mid-term change deletes what was scheduled for the next term, also where it is sent along: compare `scheduled`
 * before and after. It is not scheduled again: an order for another total is not ours to give.
 * @param read reads the subscription alone, by its own id
 */
export function writing(
  { call }: Client,
  read: (observed: Observed, signal: AbortSignal) => Promise<Reading>,
): RemoteVendor['setQuantity'] {
  async function send(observed: Observed, total: number, requestId: string, signal: AbortSignal) {
    const write = changed(observed, total)
    if (!write) return nothingSent('vendor_unavailable', 'Microsoft gave no version of this subscription.')
    const path = subscriptionPath(observed.customerId, observed.subscriptionId)
    const headers = { 'If-Match': write.ifMatch }
    const reply = await call(path, signal, { method: 'PATCH', requestId, headers, body: write.body })
    if (reply.kind !== 'answer' || reply.status < 200 || reply.status > 299) return refusal(reply)
    const vendorRequestId = reply.correlationId
    const done = evidence(reply, observed, total)
    if (done) return { kind: 'applied', observed: done, vendorRequestId } as const
    // A look may show an old state: whoever knows what was before decides what it proves.
    const isShown = await lookUntil(reply, observed, total, signal)
    const reason = `Microsoft answered ${reply.status}, and ${isShown ? 'shows' : 'has not shown'} the new total.`
    return { kind: 'unknown', reason, vendorRequestId } as const
  }

  /** A success may be an acceptance only (202): the subscription itself tells when it is done. */
  async function lookUntil(reply: Answered, before: Observed, total: number, signal: AbortSignal) {
    let wait = (retryAfterOf(reply.headers) ?? 0) * 1000 || FIRST_LOOK
    for (let look = 0; look < LOOKS; look++) {
      const inTime = await pause(wait, true, { signal }).catch(() => false)
      const reading = inTime ? await read(before, signal) : undefined
      if (reading?.kind !== 'read') return false
      if (reading.observed.seats.purchased === total) return true
      wait = Math.min(wait * 2, LONGEST_LOOK)
    }
    return false
  }

  return async (observed, total, changeId, signal) => {
    const first = await send(observed, total, changeId, signal)
    if (first !== 'stale') return first
    const reading = await read(observed, signal)
    if (reading.kind !== 'read') return nothingSent('vendor_unavailable', reading.reason)
    const fresh = withAssigned(reading.observed, observed.seats.assigned)
    const moved = nothingSent('change_in_progress', 'Someone else changed this subscription just now.')
    if (!isSame(observed, fresh)) return moved
    const second = await send(fresh, total, following(changeId), signal)
    return second === 'stale' ? moved : second
  }
}

type Answered = Extract<Reply, { kind: 'answer' }>

/** The vendor's own words that the total is the new one. */
function evidence({ text: json, headers }: Answered, before: Observed, total: number): Observed | undefined {
  const { customerId, seats } = before
  const after = observedOf({ customerId, json, header: headers.get('etag'), assigned: seats.assigned })
  return after?.seats.purchased === total ? after : undefined
}

/** Whether all that the rules looked at is as it was. */
function isSame(before: Observed, after: Observed): boolean {
  const factsOf = ({ subscriptionId, status, isCommitmentPlan, seats }: Observed) =>
    [subscriptionId, status, isCommitmentPlan, seats.purchased].join()
  return factsOf(before) === factsOf(after)
}

function nothingSent(code: 'vendor_unavailable' | 'change_in_progress', reason: string): WriteAnswer {
  return { kind: 'not_sent', code, reason }
}

/** The id of the second attempt: an id that was answered, be it by a refusal, would get that answer again. */
function following(changeId: string): string {
  const hex = createHash('sha256').update(changeId).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
