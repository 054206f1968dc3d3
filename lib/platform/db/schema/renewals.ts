import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { assets } from './assets.ts'
import { createdAt, customerId, key, time } from './columns.ts'
import { members } from './customers.ts'

/** Orders for the next term of commitment plans, and their outcome. */
export const renewalOrders = pgTable(
  'renewal_orders',
  {
    customerId: customerId(),
    id: key('id').notNull(),
    assetId: key('asset_id').notNull(),
    /** Total of the next term; null: a renewal setting of the vendor was ordered. */
    toQuantity: integer('to_quantity'),
    renewalType: text('renewal_type'),
    /** Setting of another party that the orderer saw, and so replaces; both null: none. */
    seenQuantity: integer('seen_quantity'),
    seenType: text('seen_type'),
    /** The subscription that it is for; null in books of our own. */
    vendorSubscriptionId: key('vendor_subscription_id'),
    /** When the term ends for which it was ordered; it follows the asset's while the term lasts. */
    termEnd: time('term_end').notNull(),
    /** STANDING until the term has ended or the order is withdrawn; `rules.ts` of its module has the others. */
    state: text('state').notNull(),
    /** When its vendor confirmed it last; null: never yet. */
    placedAt: time('placed_at'),
    /** The asset's seat version then: a later change of the licenses may have deleted the order at its vendor. */
    placedVersion: integer('placed_version'),
    /** Time since which the vendor lacks the requested state: the order, or its removal. Null: the vendor has it. */
    waitsSince: time('waits_since'),
    /** Time and requester of the removal at the vendor. */
    takenBackAt: time('taken_back_at'),
    takenBackByKind: text('taken_back_by_kind'),
    takenBackById: text('taken_back_by_id'),
    takenBackByName: text('taken_back_by_name'),
    /** Why its vendor does not have it yet, or its outcome. */
    reason: text('reason'),
    /** The order that took its place. */
    replacedBy: key('replaced_by'),
    /** Number of consecutive reads in which the vendor lacked the requested state. */
    tries: integer('tries').notNull().default(0),
    /** When a job reads its vendor next. */
    nextLookAt: time('next_look_at').notNull().default(sql`now()`),
    /** Time when the next term was first observed, and its observed state. */
    beganAt: time('began_at'),
    beganQuantity: integer('began_quantity'),
    beganType: text('began_type'),
    /** Whether the vendor had shown the order until then. */
    beganPlaced: boolean('began_placed'),
    /** When the person who ordered it got a mail that its term ends soon. */
    toldAt: time('told_at'),
    /** When that person last got a mail that it needs a look, and when the operators did. */
    reportedAt: time('reported_at'),
    operatorToldAt: time('operator_told_at'),
    /** The operator who settled it by hand. */
    settledBy: text('settled_by'),
    /** Null: a release without the log of requests made it, and `carry-over.ts` of its module has not seen it yet. */
    isLogged: boolean('is_logged'),
    actorKind: text('actor_kind').notNull(),
    actorId: text('actor_id').notNull(),
    actorName: text('actor_name').notNull(),
    requestId: text('request_id').notNull(),
    createdAt: createdAt(),
    settledAt: time('settled_at'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    // One order per asset, whatever races.
    uniqueIndex('renewal_orders_standing').on(t.customerId, t.assetId).where(sql`${t.state} = 'STANDING'`),
    index('renewal_orders_newest').on(t.customerId, t.assetId, t.createdAt),
    // Those that a job has to look at, of all customers.
    index('renewal_orders_due').on(t.customerId, t.nextLookAt).where(sql`${t.state} = 'STANDING'`),
    foreignKey({ columns: [t.customerId, t.assetId], foreignColumns: [assets.customerId, assets.id] }),
    check(
      'renewal_orders_state',
      sql`${t.state} in ('STANDING', 'APPLIED', 'REJECTED', 'WITHDRAWN', 'REPLACED', 'LOST', 'UNCLEAR')`,
    ),
    check('renewal_orders_settled', sql`(${t.settledAt} is null) = (${t.state} = 'STANDING')`),
    check('renewal_orders_one', sql`num_nonnulls(${t.toQuantity}, ${t.renewalType}) = 1`),
    check('renewal_orders_quantity', sql`${t.toQuantity} >= 0`),
    check(
      'renewal_orders_taken_back',
      sql`num_nonnulls(${t.takenBackAt}, ${t.takenBackByKind}, ${t.takenBackById}, ${t.takenBackByName}) in (0, 4)`,
    ),
  ],
)

/**
 * Requests about a next term that were sent to a vendor, in the order of sending. A request without a `kind` has no
 * recorded result.
 */
export const renewalRequests = pgTable(
  'renewal_requests',
  {
    customerId: customerId(),
    assetId: key('asset_id').notNull(),
    /** From 1 on, for each asset. */
    number: integer('number').notNull(),
    orderId: key('order_id').notNull(),
    vendorSubscriptionId: key('vendor_subscription_id'),
    /** When the term ends that it is about. */
    termEnd: time('term_end').notNull(),
    /** Total or renewal setting that was sent; both null: the scheduled change is removed. */
    quantity: integer('quantity'),
    renewalType: text('renewal_type'),
    /** Whether the request withdraws an order. */
    isWithdrawal: boolean('is_withdrawal').notNull(),
    /** What the vendor had shown before it. */
    beforeQuantity: integer('before_quantity'),
    beforeType: text('before_type'),
    /** Version of the subscription on whose condition it was sent; null: without a condition. */
    version: text('version'),
    /** When it could leave. */
    at: time('at').notNull(),
    /** Time until which the vendor may still apply the request; null: the outcome is known. */
    lateUntil: time('late_until'),
    requestId: text('request_id').notNull(),
    /** The vendor's answer: applied, rejected, not_sent or unknown. */
    kind: text('kind'),
    /** Reason in the vendor's or our words, for operators only. */
    reason: text('reason'),
    vendorRequestId: text('vendor_request_id'),
    tookMs: integer('took_ms'),
    /** What the next read showed, and when. */
    shownAt: time('shown_at'),
    shownQuantity: integer('shown_quantity'),
    shownType: text('shown_type'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.assetId, t.number] }),
    foreignKey({
      columns: [t.customerId, t.orderId],
      foreignColumns: [renewalOrders.customerId, renewalOrders.id],
    }),
    check('renewal_requests_kind', sql`${t.kind} in ('applied', 'rejected', 'not_sent', 'unknown')`),
  ],
)

/** The private link of a member's calendar: one for each. */
export const calendarFeeds = pgTable(
  'calendar_feeds',
  {
    customerId: customerId(),
    memberId: key('member_id').notNull(),
    /** Digest of the secret in the link; the secret itself is not stored. */
    digest: key('digest').notNull(),
    lastFour: text('last_four').notNull(),
    madeAt: time('made_at').notNull().defaultNow(),
    /** To the minute. */
    lastReadAt: time('last_read_at'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.memberId] }),
    foreignKey({ columns: [t.customerId, t.memberId], foreignColumns: [members.customerId, members.id] }),
    // For the release before, which looks digests up here; a later one drops it.
    index('calendar_feeds_by_digest').on(t.digest).concurrently(),
  ],
)
