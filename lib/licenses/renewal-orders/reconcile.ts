import 'server-only'
import { randomUUID } from 'node:crypto'
import { dueOrders } from '#lib/identity/access/due-work.ts'
import { type LicensedRow, licensed, lockLicensed, readAsset } from '#lib/licenses/assets/store.ts'
import { changesWithin, findOpenChange } from '#lib/licenses/license-changes/store/changes.ts'
import { observe, readSubscription } from '#lib/licenses/license-changes/vendor-sync/read.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { licenseScope, readScope } from '#lib/platform/db/scope.ts'
import type { Actor } from '#lib/platform/history/audit.ts'
import { forEach } from '#lib/platform/runtime/concurrency.ts'
import type { GuardedVendor } from '#lib/vendors/breaker.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import type { NextTerm, Observed, Unavailable, VendorRead, Wait, WriteAnswer } from '#lib/vendors/vendor.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import { carryOut } from './carry-out.ts'
import { mailOrderer } from './mails.ts'
import { decide, decideOutcome, giveUp, nextLateLook, type OrderFacts, type Step } from './order-state.ts'
import { addRequest, answerOf, expireRequests, requestsOf, updateRequest } from './request-log.ts'
import { isOverdue, phaseOf, type Setting, shownSetting } from './rules.ts'
import { findOrder, noteOrder, type OrderNote, type OrderRow, restoreReplaced, settleOrder } from './store.ts'
import { isCurrent, takesTotal, termOf } from './terms.ts'

export type NamedOrder = { id: string; assetId: string }

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Between two looks at an order that its vendor lacks. */
const MAX_WAIT_MS = 6 * HOUR_MS
/** A process writes an answer down so long after its request has ended at the latest. */
const MAX_ANSWER_MS = 2000

/**
 * Reads the vendor of an active order, compares the vendor's setting with the ordered one, and sends a request or
 * settles the order. In our own books the order is carried out when its term ends. Each step is committed before the
 * next one: the read, the row of the log, the request, the response.
 */
export async function reconcile(
  { customerId }: { customerId: CustomerId },
  { id, assetId }: NamedOrder,
  requestId: string,
): Promise<void> {
  const row = await readScope({ customerId }, (tx) => readAsset(tx, customerId, assetId))
  if (!row) return
  const vendor = vendorOf(row)
  /** Calls with the asset's row locked; without an order where that is not active any more. */
  const locked = <T>(work: (tx: Transaction, asset: LicensedRow, order?: OrderRow) => Promise<T>) =>
    licenseScope({ customerId }, async (tx) => {
      const asset = await lockLicensed(tx, customerId, assetId)
      const order = await findOrder(tx, customerId, id)
      return work(tx, asset, order?.state === 'STANDING' ? order : undefined)
    })
  if (vendor.systemOfRecord === 'ours')
    return locked(async (tx, asset, order) => order && carryOut(tx, customerId, { order, asset, vendor }))
  const known = licensed(row)
  const reading = await readSubscription(vendor, known, vendorTimes().readMs)
  const readAt = Date.now()
  const next = await locked(async (tx, asset, order) => {
    if (!order) return undefined
    const look = { tx, customerId, order, asset, vendor, requestId }
    if (order.vendorSubscriptionId !== asset.vendorSubscriptionId) return leaveSubscription(look)
    return isSameSubscription(known, asset) ? compare(look, reading) : undefined
  })
  if (!next) return
  const began = performance.now()
  const answer = await send(vendor, next, readAt)
  const tookMs = performance.now() - began
  await locked(async (tx, asset, order) => {
    await updateRequest(tx, customerId, { assetId, number: next.number }, answerOf(answer, tookMs))
    // Writes on condition of an earlier version fail from now on.
    const version = answer.kind === 'applied' ? answer.observed.version : undefined
    if (version !== undefined) await expireRequests(tx, customerId, { assetId, number: next.number, version })
    // A change of the licenses that came between has its own word on the seats.
    const isAlone =
      isSameSubscription(known, asset) &&
      asset.seatVersion === next.version &&
      !(await findOpenChange(tx, customerId, assetId))
    if (order) await conclude({ tx, customerId, order, asset, vendor, requestId }, answer, isAlone)
  })
}

/**
 * Reconciles the orders that are due. The job carries out existing orders on their dates, and chooses no numbers.
 * @returns the number of orders
 * @throws AggregateError of those that failed
 */
export async function reconcileOrders(requestId: string, signal: AbortSignal): Promise<number> {
  let count = 0
  await forEach(await dueOrders(), async (due) => {
    if (signal.aborted) return
    count += 1
    await reconcile(due, due, requestId)
  })
  return count
}

/** An active order at a vendor, in a transaction that has locked its asset's row. */
type Look = { tx: Transaction; customerId: CustomerId; requestId: string } & Found
type Found = { order: OrderRow; asset: LicensedRow; vendor: GuardedVendor }

/** A request that is logged and may leave. `version` is the asset's seat version that it was decided on. */
type NextRequest = { number: number; setting: Setting; observed: Observed; vendorId: string; version: number }

/** Compares a reading with the ordered setting. */
async function compare(look: Look, vendorRead: VendorRead): Promise<NextRequest | undefined> {
  const { tx, customerId, order, asset, vendor } = look
  const now = Date.now()
  const wait = (reason: string, ms: number) => follow(look, { kind: 'wait', reason, lookAt: now + ms })
  if (vendorRead.kind === 'unavailable') {
    const ms = Math.max((vendorRead.retryAfter ?? 0) * 1000, backoff(order.tries))
    const reason = `${vendor.label} could not be asked.`
    await wait(reason, ms)
    return reportWithdrawal(look, { answer: vendorRead, reason, tries: order.tries + 1, nextAt: now + ms })
  }
  if (vendorRead.kind === 'missing')
    return isOverdue(order.termEnd.getTime(), now)
      ? follow(look, giveUp(await factsOf(look), vendorRead.reason))
      : wait(vendorRead.reason, MAX_WAIT_MS)
  if (await findOpenChange(tx, customerId, asset.id))
    return wait('A change of the licenses is under way.', MINUTE_MS)
  const { observed } = vendorRead
  const { current, step, shown } = await assess(look, observed, vendorTimes().staleMs)
  if (step.kind !== 'send') return follow(current, step)
  const { setting, isWithdrawal } = step
  const vendorId = randomUUID()
  const lateUntil = new Date(now + maxRequestMs() + vendor.settleMs)
  const version = observed.version ?? null
  const request = { setting, isWithdrawal, before: shown, requestId: vendorId, lateUntil, version }
  const number = await addRequest(tx, customerId, current.order, request)
  const [tries, waitsSince] = [order.tries + 1, order.waitsSince ?? new Date(now)]
  await note(look, { tries, nextLookAt: new Date(now + backoff(tries)), waitsSince })
  return { number, setting, observed, vendorId, version: current.asset.seatVersion }
}

/**
 * Stores the observed setting, and decides from it.
 * @param staleMs the observation may be older than its request by so many milliseconds
 */
async function assess(look: Look, observed: Observed, staleMs: number) {
  const { tx, customerId, vendor, requestId } = look
  const asset = await observe(tx, customerId, look.asset, { vendor, observed, requestId })
  // The start of a term is noted by whatever reads it first.
  const order = (await findOrder(tx, customerId, look.order.id)) ?? look.order
  const current = { ...look, asset, order }
  const { renewalType, scheduled } = observed
  const shown = shownSetting(takesTotal(asset), { renewalType, scheduledTotal: scheduled?.total ?? null })
  const facts = await factsOf(current, (observed.requestedAt ?? Date.now()) - staleMs)
  const last = facts.requests.at(-1)
  const read = { shownAt: new Date(), shownQuantity: shown.quantity, shownType: shown.renewalType }
  if (last) await updateRequest(tx, customerId, last, read)
  return { current, shown, step: await stepOf(current, facts, shown) }
}

async function stepOf(look: Look, facts: OrderFacts, shown: Setting): Promise<Step> {
  const { order, asset, vendor } = look
  if (order.beganAt) return decideOutcome(facts)
  const phase = phaseOf(order.termEnd.getTime(), termOf(asset), facts.now)
  const wait = (reason: string): Step => ({ kind: 'wait', reason, lookAt: facts.now + HOUR_MS })
  const createdAt = order.createdAt.getTime()
  const isEarlier =
    phase.kind === 'none' || (phase.kind === 'moved' && phase.termEnd < order.termEnd.getTime())
  // The read shows the plan before the term that was ordered for.
  if (isEarlier && facts.asOf < createdAt)
    return { kind: 'wait', reason: undefined, lookAt: createdAt + facts.staleMs }
  if (phase.kind === 'none') {
    const reason = 'The plan has no commitment any more.'
    return order.takenBackAt ? giveUp(facts, reason) : { kind: 'settle', state: 'LOST', reason }
  }
  if (phase.kind === 'over')
    return giveUp(facts, `${vendor.label} began the next term, and its start was not seen.`)
  if (phase.kind === 'due')
    return isOverdue(order.termEnd.getTime(), facts.now)
      ? giveUp(facts, `${vendor.label} has shown no next term.`)
      : wait(`${vendor.label} has not shown the next term yet.`)
  if (asset.status !== 'ACTIVE') return wait(`The subscription is ${asset.status}.`)
  if (phase.kind === 'moved') await note(look, { termEnd: new Date(phase.termEnd) })
  return decide(facts, shown)
}

async function factsOf(
  { tx, customerId, order, asset, vendor }: Look,
  asOf = Date.now(),
): Promise<OrderFacts> {
  const requests = await requestsOf(tx, customerId, order)
  const now = Date.now()
  const moves = await changesWithin(tx, customerId, asset, Math.max(0, now - asOf))
  const movedAt = moves.map(({ settledAt }) => settledAt?.getTime() ?? 0)
  const seatsMovedAt = movedAt.length > 0 ? Math.max(...movedAt) : undefined
  const times = { now, asOf, seatsMovedAt, staleMs: vendorTimes().staleMs, writeMs: maxRequestMs() }
  const termStart = asset.commitmentStart?.getTime()
  const is = { setsTotal: takesTotal(asset), mayBeDeleted: !isCurrent(order, asset) }
  return { order, requests, label: vendor.label, ...is, termStart, ...times }
}

/** Writes a step that sends nothing. */
async function follow(look: Look, step: Exclude<Step, { kind: 'send' }>): Promise<undefined> {
  const { order, asset } = look
  const now = new Date()
  if (step.kind === 'settle') return settle(look, step.state, step.reason)
  const nextLookAt = step.lookAt === undefined ? order.termEnd : new Date(step.lookAt)
  if (step.kind === 'wait') {
    const { reason = null } = step
    return note(look, { reason, tries: order.tries + 1, waitsSince: order.waitsSince ?? now, nextLookAt })
  }
  const placed = { placedAt: order.placedAt ?? now, placedVersion: asset.seatVersion }
  return note(look, { ...placed, reason: null, tries: 0, waitsSince: null, nextLookAt })
}

async function settle(
  look: Look,
  state: Parameters<typeof settleOrder>[3]['state'],
  reason?: string,
): Promise<undefined> {
  const { tx, customerId, order, vendor, requestId } = look
  const { takenBackByKind: kind, takenBackById: id, takenBackByName: name } = order
  const vendorActor = { kind: 'vendor', id: vendor.name, name: vendor.label }
  const actor = (state === 'WITHDRAWN' ? { kind, id, name } : vendorActor) as Actor
  await settleOrder(tx, customerId, order, { state, reason, actor, requestId })
}

/** Stores the state of an order; the next check is at the end of its term at the latest. */
async function note({ tx, customerId, order }: Look, values: OrderNote): Promise<undefined> {
  const { termEnd } = order
  const isLate = values.nextLookAt && termEnd < values.nextLookAt && termEnd > new Date()
  await noteOrder(tx, customerId, order.id, isLate ? { ...values, nextLookAt: termEnd } : values)
}

/** Stores the effect of a vendor's response on an active order. */
async function conclude(look: Look, answer: WriteAnswer, isAlone: boolean): Promise<undefined> {
  const { tx, customerId, order, vendor } = look
  const now = Date.now()
  if (answer.kind === 'applied') {
    // The response to a write shows the state after it.
    const assessed = isAlone ? await assess(look, answer.observed, 0) : undefined
    // The ordered setting, or the licenses, have changed while the request was under way.
    if (!assessed || assessed.step.kind === 'send')
      return note(look, { nextLookAt: new Date(now + (isAlone ? 0 : MINUTE_MS)) })
    const confirmed = { ...assessed.current.order, placedAt: new Date(now) }
    return follow({ ...assessed.current, order: confirmed }, assessed.step)
  }
  // The read before the request may be older than that one.
  const isLate = nextLateLook(await factsOf(look, now - vendorTimes().staleMs)) !== undefined
  // An earlier request may still be carried out: the order is followed until none can be.
  if (answer.kind === 'rejected' && !order.takenBackAt && !isLate) {
    await settle(look, 'REJECTED', answer.reason)
    // One that was never placed leaves the order before it at the vendor.
    if (!order.placedAt) await restoreReplaced(tx, customerId, order.id)
    return undefined
  }
  const reason = {
    rejected: answer.reason,
    not_sent: `${vendor.label} could not be asked yet.`,
    unknown: `${vendor.label} has not confirmed it yet.`,
  }[answer.kind]
  const retryMs = answer.kind === 'not_sent' ? (answer.retryAfter ?? 0) * 1000 : 0
  const nextAt = now + Math.max(retryMs, backoff(order.tries))
  await note(look, { reason, nextLookAt: new Date(nextAt) })
  return reportWithdrawal(look, { answer, reason, tries: order.tries, nextAt })
}

/** Failed attempt: the number of attempts so far, and the time of the next one in epoch milliseconds. */
type Failure = { answer: Unavailable | WriteAnswer; reason: string; tries: number; nextAt: number }

/**
 * Mails immediately that a withdrawal has not reached the vendor; a job repeats the mail each day. Where the vendor only
 * asks to wait, the next attempt usually succeeds before the term ends: it comes first.
 */
async function reportWithdrawal(look: Look, { answer, reason, tries, nextAt }: Failure): Promise<undefined> {
  const { tx, customerId, order } = look
  if (!order.takenBackAt || order.reportedAt) return
  const wait: Wait = answer.kind === 'unavailable' || answer.kind === 'not_sent' ? answer : {}
  const isThrottle = wait.why === 'throttled' || wait.retryAfter !== undefined
  if (isThrottle && tries < 2 && nextAt < order.termEnd.getTime()) return
  await note(look, { reportedAt: new Date() })
  await mailOrderer(tx, customerId, { ...order, reason }, 'renewal-unclear')
}

/** An import has pointed the asset to another subscription: the order was for the one before, which may have it still. */
async function leaveSubscription(look: Look): Promise<undefined> {
  const { requests } = await factsOf(look)
  const state = requests.length > 0 ? 'UNCLEAR' : look.order.takenBackAt ? 'WITHDRAWN' : 'LOST'
  return settle(look, state, 'The asset has another subscription now.')
}

function isSameSubscription(read: LicensedRow, now: LicensedRow): boolean {
  const named = ({ vendor, vendorAccount, vendorCustomerId, subscriptionId }: LicensedRow) =>
    JSON.stringify([vendor, vendorAccount, vendorCustomerId, subscriptionId])
  return named(read) === named(now)
}

/** A process that was held up since the read sends nothing: the next look reads again. */
async function send(
  vendor: GuardedVendor,
  { setting, observed, vendorId }: NextRequest,
  readAt: number,
): Promise<WriteAnswer> {
  const { writeMs } = vendorTimes()
  const notSent = (reason: string) => ({ kind: 'not_sent', code: 'vendor_unavailable', reason }) as const
  if (Date.now() - readAt > writeMs) return notSent('The process was held up; nothing was sent.')
  if (!vendor.setNextTerm) return notSent(`${vendor.label} takes no order for the next term.`)
  const { quantity, renewalType } = setting
  const next: NextTerm = renewalType === null ? { total: quantity ?? undefined } : { renewalType }
  return vendor.setNextTerm(observed, next, vendorId, AbortSignal.timeout(writeMs))
}

/** Returns the milliseconds for which a request is under way at most, from its log row on. */
function maxRequestMs(): number {
  return 2 * vendorTimes().writeMs + MAX_ANSWER_MS
}

/** Returns the milliseconds until the next look: a minute at first, twice as long each time, six hours at most. */
function backoff(tries: number): number {
  return Math.min(MINUTE_MS * 2 ** Math.min(tries, 20), MAX_WAIT_MS)
}
