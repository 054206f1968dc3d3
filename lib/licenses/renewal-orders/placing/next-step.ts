import 'server-only'
import type { LicensedRow } from '#lib/licenses/assets/store.ts'
import { DAY_MS } from '#lib/platform/values/days.ts'
import type { NextTerm, Observed } from '#lib/vendors/vendor.ts'
import { fateOf, isRenewed, isShown, type Wanted } from '../rules.ts'
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
  const { fresh, vendor } = given
  const now = Date.now()
  const plan = {
    isCommitmentPlan: fresh.isCommitmentPlan,
    commitmentStart: fresh.commitmentStart?.getTime(),
    commitmentEnd: fresh.commitmentEnd?.getTime(),
    purchased: fresh.seatsPurchased,
  }
  const fate = fateOf({ termEnd: order.termEnd.getTime(), wanted: wantedOf(order) }, plan, now)
  if (fate.kind === 'pointless') return ended(order, 'The plan has no commitment any more.')
  if (fate.kind === 'over') {
    if (fate.isAsOrdered && !order.takenBackAt) return { kind: 'settle', state: 'APPLIED' }
    return ended(order, `${vendor.label} began the next term with ${plan.purchased} licenses.`)
  }
  if (fate.kind === 'due') {
    if (isOverdue(order, now)) return ended(order, `${vendor.label} has shown no next term.`)
    return later(`${vendor.label} has not shown the next term yet.`, now)
  }
  if (fresh.status !== 'ACTIVE') return later(`The subscription is ${fresh.status}.`, now)
  const termEnd = fate.kind === 'moved' ? new Date(fate.termEnd) : order.termEnd
  const present = { ...order, termEnd }
  return order.takenBackAt ? leaving(present, given) : standing(present, given, now)
}

/** Whether its term is over for so long that nothing more is to be heard of the next one. */
export function isOverdue({ termEnd }: Pick<OrderRow, 'termEnd'>, now: number): boolean {
  return now - termEnd.getTime() > LATEST_RENEWAL_MS
}

/** The term goes on, and the order is wanted: it is to be seen at its vendor, and nobody else's is to be overwritten. */
function standing(order: OrderRow, { fresh, observed, vendor, staleMs }: Given, now: number): Step {
  const { termEnd, placedAt } = order
  const wanted = wantedOf(order)
  const shown = shownBy(observed)
  if (isShown(wanted, shown)) {
    const placed = { placedAt: placedAt ?? new Date(now), placedVersion: fresh.seatVersion }
    const note = { ...placed, heldQuantity: null, heldType: null, tries: 0, reason: null }
    return { kind: 'note', note: { ...note, termEnd, nextLookAt: termEnd } }
  }
  if (!isRenewed(observed.renewalType)) return lost(`${vendor.label} does not renew the plan any more.`)
  const isTotal = 'quantity' in wanted
  const other = isTotal && !isOurs(order, observed) ? shown.scheduledTotal : undefined
  const say: Step = { kind: 'say', next: asNextTerm(wanted), note: { termEnd } }
  if (!placedAt) {
    if (other === undefined || other === order.formerQuantity) return say
    return lost(
      `${vendor.label} has ${other} licenses scheduled for the next term, which somebody set there.`,
    )
  }
  // Microsoft deletes an order with each change of the licenses, and whoever made that change did not mean to.
  if (isTotal && other === undefined && fresh.seatVersion !== order.placedVersion) return say
  // A read may be older than the vendor's own word.
  if (now - placedAt.getTime() < staleMs)
    return { kind: 'note', note: { termEnd, tries: 1, nextLookAt: new Date(now + staleMs) } }
  return lost(`${vendor.label} does not show the order any more: it was taken back or replaced there.`)
}

/**
 * The order is wanted no more. That is said in any case: a statement of before may still be under way, and a read may be
 * old. What somebody else put there meanwhile stays.
 */
function leaving(order: OrderRow, { observed }: Given): Step {
  const { termEnd, formerQuantity, formerType } = order
  const gone: Step = { kind: 'settle', state: 'WITHDRAWN' }
  if (order.toQuantity !== null) {
    const total = observed.scheduled?.total
    const isTheirs = total !== undefined && total !== formerQuantity && !isOurs(order, observed)
    if (isTheirs || !isRenewed(observed.renewalType)) return gone
    return { kind: 'say', next: { total: formerQuantity ?? undefined }, note: { termEnd } }
  }
  const isTheirs = observed.renewalType !== formerType && !isOurs(order, observed)
  if (isTheirs || formerType === null) return gone
  return { kind: 'say', next: { renewalType: formerType }, note: { termEnd } }
}

/** Whether what the vendor shows of the next term is this order, or one whose place it took. */
function isOurs(order: OrderRow, observed: Observed): boolean {
  const total = observed.scheduled?.total
  if (order.toQuantity !== null)
    return total !== undefined && [order.toQuantity, order.heldQuantity].includes(total)
  return observed.renewalType !== null && [order.renewalType, order.heldType].includes(observed.renewalType)
}

function shownBy({ scheduled, renewalType }: Observed) {
  return { scheduledTotal: scheduled?.total, renewalType: renewalType ?? undefined }
}

/** Nothing more comes of it: what was taken back is gone, and the rest came to nothing. */
function ended({ takenBackAt }: OrderRow, reason: string): Step {
  return takenBackAt ? { kind: 'settle', state: 'WITHDRAWN' } : lost(reason)
}

function lost(reason: string): Step {
  return { kind: 'settle', state: 'LOST', reason }
}

function later(reason: string, now: number): Step {
  return { kind: 'note', note: { reason, nextLookAt: new Date(now + HOUR_MS) } }
}

function asNextTerm(wanted: Wanted): NextTerm {
  return 'quantity' in wanted ? { total: wanted.quantity } : wanted
}
