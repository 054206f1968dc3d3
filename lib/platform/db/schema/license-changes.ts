import { sql } from 'drizzle-orm'
import {
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
import { vendorSubscriptions } from './vendors.ts'

export const licenseChanges = pgTable(
  'license_changes',
  {
    customerId: customerId(),
    id: key('id').notNull(),
    assetId: key('asset_id').notNull(),
    /** Whose it is at its vendor: its asset may be pointed elsewhere later. Null where the books are ours. */
    vendorSubscriptionId: key('vendor_subscription_id'),
    fromQuantity: integer('from_quantity').notNull(),
    toQuantity: integer('to_quantity').notNull(),
    state: text('state').notNull(),
    /** A total that a read showed while it was open, and that is neither of the two: somebody else has moved it. */
    seenQuantity: integer('seen_quantity'),
    /** Why the vendor refused, or what is known of a failure. */
    vendorReason: text('vendor_reason'),
    vendorRequestId: text('vendor_request_id'),
    /** What the vendor calls the write, where it answered with an order to ask for later. */
    pollRef: text('poll_ref'),
    actorKind: text('actor_kind').notNull(),
    actorId: text('actor_id').notNull(),
    actorName: text('actor_name').notNull(),
    requestId: text('request_id').notNull(),
    createdAt: createdAt(),
    /** When it was claimed, sent or settled: how old a claim or a call is. */
    movedAt: time('moved_at').notNull().default(sql`now()`),
    /** When its call could leave; null: it never was the vendor's to do. */
    sentAt: time('sent_at'),
    /** When the vendor was last asked what became of it: who writes it may ask. */
    checkedAt: time('checked_at'),
    /** The request or job that is asking; null: its turn has ended. */
    checkedBy: text('checked_by'),
    /** When operators were mailed of it last. */
    operatorToldAt: time('operator_told_at'),
    settledAt: time('settled_at'),
    /** Before then the vendor takes no other change of the subscription, by its own word; null: it said nothing. */
    notBefore: time('not_before'),
    /** Who settled it by hand; null: the vendor's word did, or a read. */
    settledBy: text('settled_by'),
    /** When the customer said of an unclear one that it was checked, and who did; null: nobody has yet. */
    acknowledgedAt: time('acknowledged_at'),
    acknowledgedByKind: text('acknowledged_by_kind'),
    acknowledgedById: text('acknowledged_by_id'),
    acknowledgedByName: text('acknowledged_by_name'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    // One open change per asset, whatever races.
    uniqueIndex('license_changes_open')
      .on(t.customerId, t.assetId)
      .where(sql`${t.state} in ('CLAIMED', 'SENT', 'UNKNOWN')`),
    uniqueIndex('license_changes_open_at_vendor')
      .on(t.customerId, t.vendorSubscriptionId)
      .where(sql`${t.state} in ('CLAIMED', 'SENT', 'UNKNOWN')`),
    // Those that wait for a person, of all customers.
    index('license_changes_unclear').on(t.customerId, t.id).where(sql`${t.state} = 'UNCLEAR'`),
    index('license_changes_newest').on(t.customerId, t.assetId, t.createdAt),
    // Without the id: few were made in one moment, and these are sorted by it.
    index('license_changes_by_time').on(t.customerId, t.createdAt).concurrently(),
    foreignKey({ columns: [t.customerId, t.assetId], foreignColumns: [assets.customerId, assets.id] }),
    foreignKey({
      name: 'license_changes_at_vendor',
      columns: [t.customerId, t.vendorSubscriptionId],
      foreignColumns: [vendorSubscriptions.customerId, vendorSubscriptions.id],
    }),
    check(
      'license_changes_state',
      sql`${t.state} in ('CLAIMED', 'SENT', 'UNKNOWN', 'APPLIED', 'REJECTED', 'FAILED', 'UNCLEAR', 'DRIFT', 'RECORDED')`,
    ),
    check(
      'license_changes_settled',
      sql`(${t.settledAt} is null) = (${t.state} in ('CLAIMED', 'SENT', 'UNKNOWN'))`,
    ),
    check(
      'license_changes_acknowledged',
      sql`num_nonnulls(${t.acknowledgedAt}, ${t.acknowledgedByKind}, ${t.acknowledgedById}, ${t.acknowledgedByName}) in (0, 4)`,
    ),
    check('license_changes_quantities', sql`least(${t.fromQuantity}, ${t.toQuantity}) >= 0`),
  ],
)

/** Each call of a change to its vendor. What was recorded and has no `kind`: nobody wrote down how it ended. */
export const licenseChangeAttempts = pgTable(
  'license_change_attempts',
  {
    customerId: customerId(),
    changeId: key('change_id').notNull(),
    /** From 1 on. */
    number: integer('number').notNull(),
    /** When the call could leave. */
    at: time('at').notNull().default(sql`clock_timestamp()`),
    /** Who had it sent: whoever asked for the change, or for it again. */
    actorName: text('actor_name'),
    /** The total that was sent. */
    quantity: integer('quantity').notNull(),
    /** What the vendor's answer came to: applied, rejected, not_sent or unknown. */
    kind: text('kind'),
    /** In the vendor's words or ours: for operators alone. */
    reason: text('reason'),
    vendorRequestId: text('vendor_request_id'),
    tookMs: integer('took_ms'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.changeId, t.number] }),
    foreignKey({
      columns: [t.customerId, t.changeId],
      foreignColumns: [licenseChanges.customerId, licenseChanges.id],
    }),
    check('license_change_attempts_kind', sql`${t.kind} in ('applied', 'rejected', 'not_sent', 'unknown')`),
  ],
)
