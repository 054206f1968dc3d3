import 'server-only'
import type { LicensedRow } from '#lib/assets/store.ts'
import { DAY_MS } from '#lib/days.ts'
import type { NextTerm, Observed } from '#lib/vendors/vendor.ts'
import { fateOf, isShown } from '../rules.ts'
import { type OrderNote, type OrderRow, wantedOf } from '../store.ts'

type Step =
  | { kind: 'settle'; state: 'APPLIED' | 'LOST' | 'WITHDRAWN'; reason?: string | undefined }
  | { kind: 'note'; note: OrderNote }
  | { kind: 'say'; next: NextTerm; note: OrderNote }

/** How long after the end of a term its vendor may be silent about the next one. */
const LATEST_RENEWAL_MS = 7 * DAY_MS
const HOUR_MS = 3_600_000

type Given = { fresh: LicensedRow; observed: Observed; vendor: { label: string }; staleMs: number }

/**
 * What follows for an order at a vendor when its subscription was just read.
 * @param staleMs how old a read may be, in milliseconds
 */
export function nextStep(order: OrderRow, given: Given): Step {
  const { fresh, observed, vendor } = given
  const now = Date.now()
  const plan = {
    isCommitmentPlan: fresh.isCommitmentPlan,
    commitmentEnd: fresh.commitmentEnd?.getTime(),
    purchased: fresh.seatsPurchased,
  }
  const fate = fateOf({ termEnd: order.termEnd.getTime(), wanted: wantedOf(order) }, plan, now)
  if (fate.kind === 'pointless') return lost('The plan has no commitment any more.')
  if (fate.kind === 'over') {
    if (order.takenBackAt) return { kind: 'settle', state: 'WITHDRAWN' }
    if (fate.isAsOrdered) return { kind: 'settle', state: 'APPLIED' }
    return lost(`${vendor.label} began the next term with ${plan.purchased} licenses.`)
  }
  if (fate.kind === 'due') {
    const isLate = now - order.termEnd.getTime() > LATEST_RENEWAL_MS
    if (isLate) return lost(`${vendor.label} has shown no next term.`)
    return later(`${vendor.label} has not shown the next term yet.`, now)
  }
  if (fresh.status !== 'ACTIVE') return later(`The subscription is ${fresh.status}.`, now)
  const termEnd = fate.kind === 'moved' ? new Date(fate.termEnd) : order.termEnd
  return order.takenBackAt ? leaving(order, observed, termEnd) : standing({ ...order, termEnd }, given, now)
}

/** The term goes on, and the order is wanted: it is to be seen at its vendor. */
function standing(order: OrderRow, { fresh, observed, vendor, staleMs }: Given, now: number): Step {
  const { termEnd, placedAt } = order
  const wanted = wantedOf(order)
  const shown = { scheduledTotal: observed.scheduled?.total, renewalType: observed.renewalType ?? undefined }
  if (isShown(wanted, shown)) {
    const placed = { placedAt: placedAt ?? new Date(now), placedVersion: fresh.seatVersion }
    return { kind: 'note', note: { ...placed, tries: 0, reason: null, termEnd, nextLookAt: termEnd } }
  }
  // Microsoft deletes an order with each change of the licenses, and whoever made that change did not mean to.
  if (!placedAt || fresh.seatVersion !== order.placedVersion)
    return { kind: 'say', next: asNextTerm(wanted), note: { termEnd } }
  // A read may be older than the vendor's own word.
  if (now - placedAt.getTime() < staleMs)
    return { kind: 'note', note: { termEnd, tries: 1, nextLookAt: new Date(now + staleMs) } }
  return lost(`${vendor.label} does not show the order any more: it was taken back or replaced there.`)
}

function lost(reason: string): Step {
  return { kind: 'settle', state: 'LOST', reason }
}

function later(reason: string, now: number): Step {
  return { kind: 'note', note: { reason, nextLookAt: new Date(now + HOUR_MS) } }
}

/** The order is wanted no more: gone from its vendor, or to be said so. */
function leaving(order: OrderRow, observed: Observed, termEnd: Date): Step {
  const gone: Step = { kind: 'settle', state: 'WITHDRAWN' }
  if (order.toQuantity !== null)
    return observed.scheduled ? { kind: 'say', next: { total: undefined }, note: { termEnd } } : gone
  const { formerType } = order
  if (formerType === null || observed.renewalType === formerType) return gone
  return { kind: 'say', next: { renewalType: formerType }, note: { termEnd } }
}

function asNextTerm(wanted: ReturnType<typeof wantedOf>): NextTerm {
  return 'quantity' in wanted ? { total: wanted.quantity } : wanted
}
