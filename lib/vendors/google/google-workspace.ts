import 'server-only'
import type { GoogleConfig } from '../settings.ts'
import type { Observed, RemoteVendor, WriteAnswer } from '../vendor.ts'
import { type GoogleCalls, googleCalls } from './client.ts'
import { refusedWrite, toldBy } from './errors.ts'
import { foreseen } from './foresight.ts'
import { findBySku, readOne, readPage } from './read.ts'
import { seatField } from './seats.ts'
import { changedOf } from './subscription.ts'

const NOT_FOUND = 404

/**
 * Google's Workspace Reseller API v1. It has neither conditional nor idempotent writes: a number of licenses is a
 * total, and what became of a lost call is learnt by reading.
 */
export function googleWorkspace(config: GoogleConfig): RemoteVendor {
  const calls = googleCalls(config)
  return {
    name: 'google-workspace',
    label: 'Google Workspace',
    books: 'theirs',
    settleMs: config.settleMs,
    foresee: foreseen,
    read: (ref, signal) => readOne(calls, ref, signal),
    setQuantity: (observed, total, _changeId, signal) => setQuantity(calls, observed, total, signal),
    async list(cursor, signal) {
      const page = await readPage(calls, { pageToken: cursor }, signal)
      return page.kind === 'page' ? { kind: 'page', items: page.items, next: page.next } : page
    },
  }
}

async function setQuantity(
  calls: GoogleCalls,
  observed: Observed,
  total: number,
  signal: AbortSignal,
): Promise<WriteAnswer> {
  const first = await changeSeats(calls, observed, total, signal)
  if (first !== 'gone') return first
  const found = await findBySku(calls, observed, signal)
  if (found.kind === 'missing') return { kind: 'rejected', code: 'vendor_rejected', reason: found.reason }
  if (found.kind === 'unavailable') return { ...found, kind: 'not_sent', code: 'vendor_unavailable' }
  // What the decision rests on. An id alone may change; with the rest, somebody has to decide again.
  const fresh = found.observed
  const isSame =
    fresh.seats.purchased === observed.seats.purchased &&
    fresh.isCommitmentPlan === observed.isCommitmentPlan &&
    fresh.status === observed.status
  if (!isSame) {
    const reason = 'The subscription was changed at Google in this moment.'
    return { kind: 'not_sent', code: 'change_in_progress', reason, retryAfter: 1 }
  }
  const second = await changeSeats(calls, fresh, total, signal)
  if (second !== 'gone') return second
  const reason = 'Google lists this subscription, but does not find it.'
  return { kind: 'not_sent', code: 'vendor_unavailable', reason }
}

/** One write; `gone`: Google knows no subscription by this id, and has done nothing. */
async function changeSeats(
  calls: GoogleCalls,
  observed: Observed,
  total: number,
  signal: AbortSignal,
): Promise<WriteAnswer | 'gone'> {
  const called = await calls.changeSeats(observed, { [seatField(observed)]: total }, signal)
  if (called.kind === 'unsent') return { kind: 'not_sent', code: 'vendor_unavailable', reason: called.reason }
  if (called.kind === 'cut') return { kind: 'unknown', reason: called.reason }
  if (called.status === NOT_FOUND && toldBy(called)) return 'gone'
  if (called.status < 200 || called.status >= 300) return refusedWrite(called)
  const changed = changedOf(observed, called.body)
  if (!changed) return { kind: 'unknown', reason: "Google's answer could not be understood." }
  if (changed.seats.purchased !== total) {
    const reason = `Google answered with ${changed.seats.purchased} licenses instead of ${total}.`
    return { kind: 'unknown', reason }
  }
  return { kind: 'applied', observed: changed }
}
