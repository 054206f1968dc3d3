import { outcomeOf } from '#lib/licenses/assets/rules.ts'
import type { RequestRow } from './request-log.ts'
import { endActionOf, isRenewed, isRestOf, isSameSetting, NEAR_MS, type Setting } from './rules.ts'
import type { OrderRow } from './store.ts'

// The decision of one reconcile step, from the order, the log of all requests, and the vendor's current setting. A
// setting that a request of the log has sent is ours, and is replaced or removed; a setting of another party stays.

export type OrderFacts = {
  order: OrderRow
  requests: readonly RequestRow[]
  /** The vendor's name for people. */
  label: string
  /** Whether the vendor's setting is a total; else a way to renew. */
  setsTotal: boolean
  /** Whether a change of the licenses after the placement may have deleted the order at the vendor. */
  mayBeDeleted: boolean
  /** Start of the current term, where the vendor shows it. Times are epoch milliseconds. */
  termStart: number | undefined
  now: number
  /** The vendor's setting is from this time or a later one: it may lack whatever was done after it. */
  asOf: number
  /** Our last change of the licenses after that time; undefined: none. */
  seatsMovedAt: number | undefined
  /** A read may be older than its request by so many milliseconds; a request is under way for so many at most. */
  staleMs: number
  writeMs: number
}

/** The end of an order. */
type Settle = { kind: 'settle'; state: 'APPLIED' | 'LOST' | 'WITHDRAWN' | 'UNCLEAR'; reason?: string }

/** Times are epoch milliseconds. */
export type Step =
  /** `isWithdrawal`: the request takes the order away. */
  | { kind: 'send'; setting: Setting; isWithdrawal: boolean }
  /** The vendor has the order; without `lookAt` nothing is to be done before the term ends. */
  | { kind: 'placed'; lookAt: number | undefined }
  | { kind: 'wait'; reason: string | undefined; lookAt: number }
  | Settle

/**
 * Decides while the term runs.
 * @param shown the vendor's current setting
 */
export function decide(facts: OrderFacts, shown: Setting): Step {
  const { order, requests, label, now, writeMs } = facts
  const current = requests.find(({ kind, at }) => kind === null && now < at.getTime() + writeMs)
  const lookAt = (current?.at.getTime() ?? 0) + writeMs
  if (current) return { kind: 'wait', reason: `A request to ${label} is under way.`, lookAt }
  return order.takenBackAt ? withdraw(facts, shown) : place(facts, shown)
}

function place(facts: OrderFacts, shown: Setting): Step {
  const { order, requests, label, asOf, staleMs, mayBeDeleted } = facts
  const wanted = wantedOf(order)
  if (isSameSetting(shown, wanted)) return verify(facts, wanted)
  const send: Step = { kind: 'send', setting: wanted, isWithdrawal: false }
  if (isOurs(requests, shown)) return send
  const placedAt = order.placedAt?.getTime()
  const isDefault = isSameSetting(shown, { quantity: null, renewalType: null })
  // The orderer has seen this setting of another party, and so replaces it.
  const isSeen = isSameSetting(shown, { quantity: order.seenQuantity, renewalType: order.seenType })
  const base = baseOf(requests)
  if (isDefault || isSeen || isRestOf(requests, shown) || (base && isSameSetting(base, shown))) {
    if (placedAt === undefined || mayBeDeleted) return send
    if (asOf < placedAt) return { kind: 'wait', reason: undefined, lookAt: placedAt + staleMs }
    return end('LOST', `${label} does not show the order any more: it was taken back or replaced there.`)
  }
  const reason = reasonOfLoss(label, shown)
  const changedAt = Math.max(lastRequest(facts)?.until ?? 0, placedAt ?? 0)
  const lookAt = nextLateLook(facts) ?? (asOf < changedAt ? changedAt + staleMs : undefined)
  return lookAt === undefined ? end('LOST', reason) : { kind: 'wait', reason, lookAt }
}

function reasonOfLoss(label: string, { quantity, renewalType }: Setting): string {
  if (!isRenewed(renewalType)) return `${label} does not renew the plan any more.`
  const another = quantity === null ? 'another way to renew' : `${quantity} licenses`
  return `${label} has ${another} scheduled for the next term, which another party set there.`
}

/** Decides where the vendor shows the ordered setting, which the read may have from before a later request or change. */
function verify(facts: OrderFacts, setting: Setting): Step {
  const { asOf, staleMs, seatsMovedAt, mayBeDeleted } = facts
  const last = lastRequest(facts)
  // The read may be older than a request for something else, or than the change of the licenses that has deleted the order.
  if (last && asOf < last.until && !isSameSetting(last, setting))
    return { kind: 'send', setting, isWithdrawal: false }
  if (mayBeDeleted && seatsMovedAt !== undefined)
    return { kind: 'wait', reason: undefined, lookAt: seatsMovedAt + staleMs }
  // Requests sent before can arrive late, and win over this one.
  return { kind: 'placed', lookAt: nextLateLook(facts, setting) }
}

/** Returns the last request that the vendor can have carried out; it did so `until` then, unless it arrives late. */
function lastRequest({ requests, writeMs }: OrderFacts): (Setting & { until: number }) | undefined {
  const last = requests.findLast(({ kind }) => kind !== 'rejected' && kind !== 'not_sent')
  return last && { ...last, until: last.at.getTime() + writeMs }
}

function withdraw(facts: OrderFacts, shown: Setting): Step {
  const { requests, label, asOf, staleMs, writeMs } = facts
  const base = baseOf(requests)
  const last = requests.at(-1)
  if (!base || !last) return end('WITHDRAWN')
  const isBase = isSameSetting(shown, base)
  const late = nextLateLook(facts, base)
  // The read may be older than the last request, which may still be carried out.
  const sentAt = last.at.getTime() + writeMs
  const isOpen = late !== undefined || asOf < sentAt
  const isConfirmed = last.isWithdrawal && last.kind === 'applied'
  if (isBase ? isOpen && !isConfirmed : isOurs(requests, shown) || isRestOf(requests, shown))
    return { kind: 'send', setting: base, isWithdrawal: true }
  if (late === undefined && (isConfirmed || !isOpen)) return end('WITHDRAWN')
  const reason = `${label} may still carry out an earlier request.`
  return { kind: 'wait', reason, lookAt: late ?? sentAt + staleMs }
}

/**
 * Decides when the next term has begun, from the first reading of it. APPLIED needs an order that was placed, and a
 * term that began as ordered; LOST needs another party's setting. Every other case is UNCLEAR, and a person decides.
 */
export function decideOutcome(facts: OrderFacts): Settle {
  const { order, requests } = facts
  if (order.takenBackAt && requests.length === 0) return end('WITHDRAWN')
  const { beganPlaced } = order
  const began = settingThatBegan(facts)
  const how = beginningText(facts)
  if (!began) return end('UNCLEAR', `${how}, and the licenses were changed before that was seen.`)
  if (mayArriveInNextTerm(facts)) return end('UNCLEAR', `${how}, while a request about it was under way.`)
  if (order.takenBackAt)
    return isCausedBy(requests, began)
      ? end('UNCLEAR', `${how}, as ordered: the withdrawal did not reach it.`)
      : end('WITHDRAWN')
  const isOrdered = isSameSetting(began, wantedOf(order))
  if (isOrdered && beganPlaced) return end('APPLIED')
  if (isOrdered) return end('UNCLEAR', `${how}, and had not confirmed the order before.`)
  if (!beganPlaced) return end('UNCLEAR', `${how}, before the order was placed there.`)
  if (isOurs(requests, began)) return end('UNCLEAR', `${how}, as an earlier order said.`)
  return end('LOST', `${how}: another party changed that there.`)
}

/**
 * Returns the setting that the next term began with; undefined where its total was not seen. An order of an end is
 * compared with a total, too: an earlier order may have set that.
 */
function settingThatBegan({ order, requests, setsTotal }: OrderFacts): Setting | undefined {
  const { beganQuantity: quantity, beganType } = order
  if (!setsTotal || endActionOf(beganType)) return { quantity: null, renewalType: beganType }
  const isTotalOrdered = [order.toQuantity, ...requests.map((one) => one.quantity)].some(
    (one) => one !== null,
  )
  return quantity === null && isTotalOrdered ? undefined : { quantity, renewalType: null }
}

/** Returns how the next term began, for people. */
function beginningText({ order: { beganQuantity, beganType }, label }: OrderFacts): string {
  const count = beganQuantity === null ? '' : ` with ${beganQuantity} licenses`
  return {
    cancel: `${label} ended the plan`,
    'extended-term': `${label} continued the plan as an Extended Service Term`,
    term: `${label} began the next term${count}`,
  }[endActionOf(beganType) ?? 'term']
}

/** Returns whether a term began as a request had set, and not from the setting before all of them. */
function isCausedBy(requests: readonly RequestRow[], began: Setting): boolean {
  const base = baseOf(requests)
  if (base && isSameSetting(base, began)) return false
  const ended = endActionOf(began.renewalType)
  // Without any action, too, a plan that does not renew continues as an Extended Service Term.
  if (ended === 'extended-term' && outcomeOf(base?.renewalType) === 'extended-term') return false
  return isOurs(requests, began) || requests.some(({ renewalType }) => ended && endActionOf(renewalType))
}

/** Returns whether a request for a way to renew may have arrived after the start of the next term, and changed that one's. */
function mayArriveInNextTerm({ order, requests, termStart }: OrderFacts): boolean {
  if (order.toQuantity !== null || endActionOf(order.beganType)) return false
  const termEnd = order.termEnd.getTime()
  // A read from before the start shows that of the former term.
  const start = termStart !== undefined && termStart > termEnd - NEAR_MS ? termStart : termEnd
  return requests.some(({ kind, lateUntil, at, tookMs }) => {
    if (kind === 'rejected' || kind === 'not_sent') return false
    return (lateUntil?.getTime() ?? at.getTime() + (tookMs ?? 0)) > start
  })
}

/** Gives up an order whose vendor shows neither its term nor a next one. */
export function giveUp({ order, requests }: OrderFacts, reason: string): Settle {
  return order.takenBackAt && requests.length === 0 ? end('WITHDRAWN') : end('UNCLEAR', reason)
}

/** Between two looks while a request may still arrive. */
const MAX_LATE_LOOK_MS = 3_600_000

/**
 * Returns when to check for a request that may arrive after the time of the read's state, in epoch milliseconds; undefined
 * where none can.
 * @param harmless a request with this setting is not counted
 */
export function nextLateLook(
  { requests, now, asOf, staleMs }: Pick<OrderFacts, 'requests' | 'now' | 'asOf' | 'staleMs'>,
  harmless?: Setting,
): number | undefined {
  const harmful = requests.filter((request) => !harmless || !isSameSetting(request, harmless))
  const times = harmful.map(({ lateUntil }) => lateUntil?.getTime() ?? 0)
  const last = Math.max(0, ...times)
  return last > asOf ? Math.min(last + staleMs, now + MAX_LATE_LOOK_MS) : undefined
}

/** Returns the setting that an order makes at its vendor. */
function wantedOf({ toQuantity, renewalType }: OrderRow): Setting {
  return { quantity: toQuantity, renewalType }
}

/** Returns whether any request has sent this setting. */
function isOurs(requests: readonly RequestRow[], setting: Setting): boolean {
  return requests.some((request) => isSameSetting(request, setting))
}

/** Returns the vendor's default: the last shown setting that no earlier request had caused. */
function baseOf(requests: readonly RequestRow[]): Setting | undefined {
  const settings = requests.map((row) => ({ quantity: row.beforeQuantity, renewalType: row.beforeType }))
  return settings.findLast((before, index) => {
    const earlier = requests.slice(0, index)
    return !isOurs(earlier, before) && !isRestOf(earlier, before)
  })
}

function end(state: Settle['state'], reason?: string): Settle {
  return reason === undefined ? { kind: 'settle', state } : { kind: 'settle', state, reason }
}
