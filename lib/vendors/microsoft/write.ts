import 'server-only'
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, type Client, retryAfterOf } from '../client.ts'
import { isSameBasis, type NextTerm, type Observed, type WriteAnswer } from '../vendor.ts'
import { subscriptionPath } from './client.ts'
import { writeFailure } from './errors.ts'
import { orderOf, replacementOf } from './raw-subscription.ts'
import { readOne } from './read.ts'
import { changedOf, withAssigned } from './subscription.ts'

/** Milliseconds between two polls of a write that Microsoft has accepted but not executed. */
const INITIAL_POLL_MS = 300
const MAX_POLL_MS = 2000
const MAX_POLLS = 12

/** Requested total, and the id that makes the request idempotent. */
type WriteRequest = { total: number; requestId: string }

/**
 * Sets a total by sending the whole object that was just read, on condition of its ETag. The caller always requests a
 * total that differs from the read one: Microsoft counts the updates of a subscription, and refuses them after some
 * 1,200.
 *
 * If the object has changed since (error 2055), it is read once more. Only if all inputs of our decision are unchanged,
 * it is sent again, once: a decision for another total must not be applied. Else nothing was changed, and the caller
 * decides again after a fresh read (`change_in_progress`).
 *
 * A mid-term change deletes the change scheduled for the next term, even if the body contains it: compare `scheduled`
 * before and after. A person's renewal order is ordered again afterwards (lib/licenses/renewal-orders).
 */
export async function setQuantity(
  client: Client,
  observed: Observed,
  { total, requestId }: WriteRequest,
  signal: AbortSignal,
): Promise<WriteAnswer> {
  const first = await write(client, observed, { total, requestId }, signal)
  if (first !== 'stale') return first
  const vendorRead = await readOne(client, observed, signal)
  if (vendorRead.kind !== 'read') return nothingSent('vendor_unavailable', vendorRead.reason)
  const fresh = withAssigned(vendorRead.observed, observed.seats.assigned)
  // It may be our own call that was executed: a call duplicated by the network is refused the second time.
  if (fresh.seats.purchased === total) {
    return { kind: 'unknown', reason: 'Microsoft refused the change as an old one, and shows its total.' }
  }
  const moved = nothingSent('change_in_progress', 'Someone else changed this subscription just now.')
  if (fresh.subscriptionId !== observed.subscriptionId || !isSameBasis(observed, fresh)) return moved
  const second = await write(client, fresh, { total, requestId: following(requestId) }, signal)
  return second === 'stale' ? moved : second
}

async function write(
  client: Client,
  observed: Observed,
  { total, requestId }: WriteRequest,
  signal: AbortSignal,
): Promise<WriteAnswer | 'stale'> {
  const replacement = replacementOf(observed, total)
  if (!replacement)
    return nothingSent('vendor_unavailable', 'Microsoft gave no version of this subscription.')
  const { body, ifMatch } = replacement
  const path = subscriptionPath(observed)
  const call = { path, method: 'PATCH', headers: { 'If-Match': ifMatch }, body, requestId } as const
  const reply = await client.call(call, signal)
  if (reply.kind !== 'answer' || reply.status < 200 || reply.status > 299) return writeFailure(reply)
  const vendorRequestId = reply.correlationId
  const changed = changedOf(observed, reply)
  if (changed?.seats.purchased === total) return { kind: 'applied', observed: changed, vendorRequestId }
  // A poll may return an old state: the caller, who knows the total before, decides what it proves.
  const isVisible = await pollUntil(client, { reply, observed, total }, signal)
  const reason = `Microsoft answered ${reply.status}, and ${isVisible ? 'shows' : 'has not shown'} the new total.`
  return { kind: 'unknown', reason, vendorRequestId }
}

/** Polls after a success, which may be an acceptance only (202), until the subscription shows the new total. */
async function pollUntil(
  client: Client,
  { reply, observed, total }: { reply: Answer; observed: Observed; total: number },
  signal: AbortSignal,
): Promise<boolean> {
  let wait = (retryAfterOf(reply.headers) ?? 0) * 1000 || INITIAL_POLL_MS
  for (let poll = 0; poll < MAX_POLLS; poll++) {
    const inTime = await pause(wait, true, { signal }).catch(() => false)
    const vendorRead = inTime ? await readOne(client, observed, signal) : undefined
    if (vendorRead?.kind !== 'read') return false
    if (vendorRead.observed.seats.purchased === total) return true
    wait = Math.min(wait * 2, MAX_POLL_MS)
  }
  return false
}

/**
 * Orders a total for the next term, an action instead of it, or that the same total renews, by sending the whole object that was just read on condition
 * of its ETag: a request that arrives late, after another write, is refused (error 2055), and reported as not sent. A
 * mid-term change of the licenses deletes such an order at Microsoft.
 */
export async function setNextTerm(
  client: Client,
  observed: Observed,
  { next, requestId }: { next: NextTerm; requestId: string },
  signal: AbortSignal,
): Promise<WriteAnswer> {
  const order = orderOf(observed, next)
  if (!order) return nothingSent('vendor_unavailable', 'Microsoft did not say what would be renewed.')
  const { body, ifMatch } = order
  const path = subscriptionPath(observed)
  const call = { path, method: 'PATCH', headers: { 'If-Match': ifMatch }, body, requestId } as const
  const reply = await client.call(call, signal)
  if (reply.kind !== 'answer' || reply.status < 200 || reply.status > 299) {
    const failure = writeFailure(reply)
    if (failure !== 'stale') return failure
    return nothingSent('vendor_unavailable', 'Someone else changed this subscription just now.')
  }
  const changed = changedOf(observed, reply)
  const vendorRequestId = reply.correlationId
  if (changed && hasNextTerm(changed, next)) return { kind: 'applied', observed: changed, vendorRequestId }
  const reason = `Microsoft answered ${reply.status}, and has not shown the order for the next term.`
  return { kind: 'unknown', reason, vendorRequestId }
}

/** Returns whether a subscription has the ordered next term. */
function hasNextTerm({ renewalType, scheduled }: Observed, next: NextTerm): boolean {
  if ('renewalType' in next) return renewalType === next.renewalType
  return scheduled?.total === next.total && (renewalType?.startsWith('AUTO_RENEW') ?? false)
}

function nothingSent(code: 'vendor_unavailable' | 'change_in_progress', reason: string): WriteAnswer {
  return { kind: 'not_sent', code, reason }
}

/** Returns the id of the second attempt: the first id, which was answered, would return the same answer again. */
function following(changeId: string): string {
  const hex = createHash('sha256').update(changeId).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
