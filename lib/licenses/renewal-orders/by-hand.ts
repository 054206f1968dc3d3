import 'server-only'
import { randomUUID } from 'node:crypto'
import type { DueOrder } from '#lib/identity/access/due-work.ts'
import { lockLicensed, readAsset } from '#lib/licenses/assets/store.ts'
import { readNow } from '#lib/licenses/license-changes/vendor-sync/read.ts'
import { findSubscriptionLocation, type SubscriptionLocation } from '#lib/licenses/vendor-subscriptions.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { licenseScope, readScope } from '#lib/platform/db/scope.ts'
import { OPERATOR } from '#lib/platform/history/audit.ts'
import { DAY_MS } from '#lib/platform/values/days.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import { nextLateLook } from './order-state.ts'
import { reconcile } from './reconcile.ts'
import { type RequestRow, requestsOf } from './request-log.ts'
import { findOrder, noteOrder, type OrderRow, recordOrder, settleOrder } from './store.ts'

/** Reason for an operator to act: an order is unclear, was not taken back at its vendor, or was not placed there. */
export type Need = 'unclear' | 'not withdrawn' | 'not placed'

export type OrderInNeed = {
  customerId: CustomerId
  order: OrderRow
  /** The vendor's name for people, and where it keeps the subscription. */
  label: string
  place: SubscriptionLocation | undefined
  requests: RequestRow[]
  /** Outcome of the term's end, as the vendor's last reading showed. */
  renewalType: string | null
  /** Undefined: the vendor may still do it by itself. */
  need: Need | undefined
}

/** Reads an order with all requests about it; undefined where there is none. */
export async function readOrder({
  customerId,
  id,
}: Omit<DueOrder, 'assetId'>): Promise<OrderInNeed | undefined> {
  return licenseScope(
    { customerId },
    async (tx) => {
      const order = await findOrder(tx, customerId, id)
      const row = order && (await readAsset(tx, customerId, order.assetId))
      if (!row) return undefined
      const { vendorSubscriptionId: at } = order
      const place = at === null ? undefined : await findSubscriptionLocation(tx, customerId, at)
      const requests = await requestsOf(tx, customerId, order)
      return {
        customerId,
        order,
        label: vendorOf(row).label,
        renewalType: row.renewalType,
        place,
        requests,
        need: needOf(order, Date.now()),
      }
    },
    { evenIfClosed: true },
  )
}

/**
 * Longest wait of an order for its vendor before operators are notified, and for the next term after the end of one.
 */
const MAX_UNPLACED_MS = DAY_MS / 4
const MAX_UNSEEN_MS = 2 * DAY_MS
/** Time before the end of a term in which operators are notified sooner, after some attempts. */
const LAST_DAY_MS = DAY_MS
const MIN_TRIES_MS = 600_000

function needOf(
  { state, takenBackAt, reportedAt, waitsSince, termEnd }: OrderRow,
  now: number,
): Need | undefined {
  if (state === 'UNCLEAR') return 'unclear'
  if (state !== 'STANDING') return undefined
  if (takenBackAt) return reportedAt ? 'not withdrawn' : undefined
  if (!waitsSince) return undefined
  const [since, end] = [waitsSince.getTime(), termEnd.getTime()]
  const soon = Math.max(since + MIN_TRIES_MS, end - LAST_DAY_MS)
  const deadline = now < end ? Math.min(since + MAX_UNPLACED_MS, soon) : end + MAX_UNSEEN_MS
  return now > deadline ? 'not placed' : undefined
}

/**
 * Settles an order with the operator's decision: one that is unclear, or one that its vendor lacks, when no request can
 * arrive any more. Reads the vendor immediately.
 * @param reason in words for people, shown in the history
 * @throws Problem where it is settled, or may settle by itself yet
 */
export async function settleOrderByHand(
  customerId: CustomerId,
  id: string,
  { as, reason }: { as: 'APPLIED' | 'WITHDRAWN' | 'LOST'; reason: string },
): Promise<OrderRow> {
  const requestId = randomUUID()
  const settled = await licenseScope({ customerId }, async (tx) => {
    const order = await lockOrder(tx, customerId, id)
    if (order.state === 'STANDING' && !order.waitsSince)
      throw refused('Nothing is settled: the vendor has the order. The customer can take it back.')
    const [requests, now] = [await requestsOf(tx, customerId, order), Date.now()]
    const late = nextLateLook({ requests, now, asOf: now, staleMs: 0 })
    if (order.state === 'STANDING' && late !== undefined)
      throw refused('Nothing is settled: a request to the vendor may still arrive. `show` says until when.')
    const by = { actor: OPERATOR, requestId, settledBy: OPERATOR.id }
    await settleOrder(tx, customerId, order, { state: as, reason: `Settled by hand: ${reason}`, ...by })
    return order
  })
  await readNow(customerId, [settled.assetId], requestId)
  return settled
}

/**
 * Reconciles an active order now, however far away its next check is: reads its vendor, and sends the order again, or
 * removes it, where the vendor does not have the intended state.
 * @param reason in words for people, shown in the history
 * @returns the order afterwards, and whether a request was sent
 * @throws Problem where the order is not active, or is in our own books
 */
export async function resendOrderByHand(customerId: CustomerId, id: string, reason: string) {
  const requestId = randomUUID()
  const { order, count } = await licenseScope({ customerId }, async (tx) => {
    const order = await lockOrder(tx, customerId, id)
    if (order.state === 'UNCLEAR')
      throw refused('Nothing is sent: the order is UNCLEAR. Settle it, and have it ordered again.')
    if (order.vendorSubscriptionId === null) throw refused('Nothing is sent: our own books have the order.')
    await noteOrder(tx, customerId, id, { nextLookAt: new Date() })
    await recordOrder(tx, customerId, order, { event: 'resent', reason, actor: OPERATOR, requestId })
    return { order, count: (await requestsOf(tx, customerId, order)).length }
  })
  await reconcile({ customerId }, order, requestId)
  return readScope({ customerId }, async (tx) => {
    const after = (await findOrder(tx, customerId, id)) ?? order
    return { order: after, sent: (await requestsOf(tx, customerId, after)).length > count }
  })
}

/** @throws Problem where there is no such order, or it is settled */
async function lockOrder(tx: Transaction, customerId: CustomerId, id: string): Promise<OrderRow> {
  const unlocked = await findOrder(tx, customerId, id)
  if (!unlocked) throw new Problem('not_found', `There is no renewal order ${id}.`)
  await lockLicensed(tx, customerId, unlocked.assetId)
  const order = (await findOrder(tx, customerId, id)) ?? unlocked
  if (order.state === 'STANDING' || order.state === 'UNCLEAR') return order
  throw refused(`The order ${id} is ${order.state}: there is nothing to do.`)
}

function refused(detail: string): Problem {
  return new Problem('change_in_progress', detail)
}
