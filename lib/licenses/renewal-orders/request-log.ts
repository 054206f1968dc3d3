import 'server-only'
import { and, desc, eq, lt, ne, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { renewalRequests as requests } from '#lib/platform/db/schema/renewals.ts'
import type { WriteAnswer } from '#lib/vendors/vendor.ts'
import { carryOver } from './carry-over.ts'
import type { Setting } from './rules.ts'
import type { OrderRow } from './store.ts'

// The log of all requests about next terms. A row is added before its request leaves; its answer is added once. Every
// writer has locked the asset's row.

export type RequestRow = typeof requests.$inferSelect

const ofAsset = (customerId: CustomerId, assetId: string) =>
  and(eq(requests.customerId, customerId), eq(requests.assetId, assetId))

/** Returns the requests about the subscription and the term of an order, also those of earlier orders; the first one first. */
export async function requestsOf(tx: Transaction, customerId: CustomerId, order: OrderRow) {
  const { assetId, vendorSubscriptionId, createdAt } = order
  if (!order.isLogged) await carryOver(tx, customerId, assetId)
  // A term that had ended before the order was made is another one.
  const isOfTerm = sql`${requests.vendorSubscriptionId} = ${vendorSubscriptionId} AND ${requests.termEnd} > ${createdAt}`
  return tx
    .select()
    .from(requests)
    .where(and(ofAsset(customerId, assetId), isOfTerm))
    .orderBy(requests.number)
}

/** `before`: the setting that the preceding read showed. */
type NewRequest = Pick<RequestRow, 'isWithdrawal' | 'requestId' | 'lateUntil' | 'version'> &
  Record<'setting' | 'before', Setting>

/** Adds a request that is about to leave, and returns its number. */
export async function addRequest(
  tx: Transaction,
  customerId: CustomerId,
  { id: orderId, assetId, vendorSubscriptionId, termEnd }: OrderRow,
  { setting, before, ...request }: NewRequest,
): Promise<number> {
  // By two statements: Citus takes no subquery within an INSERT.
  const [last] = await tx
    .select({ number: requests.number })
    .from(requests)
    .where(ofAsset(customerId, assetId))
    .orderBy(desc(requests.number))
    .limit(1)
  const number = (last?.number ?? 0) + 1
  const known = { customerId, assetId, number, orderId, vendorSubscriptionId, termEnd, at: new Date() }
  const shown = { beforeQuantity: before.quantity, beforeType: before.renewalType }
  await tx.insert(requests).values({ ...known, ...request, ...setting, ...shown })
  return number
}

/** Adds the vendor's response, or the result of a later read, to a request. */
export async function updateRequest(
  tx: Transaction,
  customerId: CustomerId,
  { assetId, number }: Pick<RequestRow, 'assetId' | 'number'>,
  values: Partial<RequestRow>,
): Promise<void> {
  const isRow = and(ofAsset(customerId, assetId), eq(requests.number, number))
  await tx.update(requests).set(values).where(isRow)
}

/**
 * Notes that no request before this one can arrive late: the vendor has applied this one, and shows another version than
 * the one on whose condition the earlier requests were sent.
 */
export async function expireRequests(
  tx: Transaction,
  customerId: CustomerId,
  { assetId, number, version }: Pick<RequestRow, 'assetId' | 'number'> & { version: string },
): Promise<void> {
  const isEarlier = and(
    ofAsset(customerId, assetId),
    lt(requests.number, number),
    ne(requests.version, version),
  )
  await tx.update(requests).set({ lateUntil: null }).where(isEarlier)
}

/** Returns the effect of a response on its request, which took `tookMs` milliseconds. */
export function answerOf(answer: WriteAnswer, tookMs: number): Partial<RequestRow> {
  const { kind, reason = null, vendorRequestId = null }: Partial<RequestRow> = answer
  const values = { kind, reason, vendorRequestId, tookMs: Math.round(tookMs) }
  return kind === 'unknown' ? values : { ...values, lateUntil: null }
}
