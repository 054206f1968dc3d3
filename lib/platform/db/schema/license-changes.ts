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
    /**
     * Subscription at the vendor at that time: the asset may be linked to another one later. Null for assets without a
     * vendor.
     */
    vendorSubscriptionId: key('vendor_subscription_id'),
    fromQuantity: integer('from_quantity').notNull(),
    toQuantity: integer('to_quantity').notNull(),
    state: text('state').notNull(),
    /**
     * Third total that a read showed while the change was open: neither the old nor the new one, so another actor
     * changed it.
     */
    seenQuantity: integer('seen_quantity'),
    /** Vendor's reason for the refusal, or details of a failure. */
    vendorReason: text('vendor_reason'),
    vendorRequestId: text('vendor_request_id'),
    /** Vendor's id of the write, where it answered with an operation to poll. */
    pollRef: text('poll_ref'),
    actorKind: text('actor_kind').notNull(),
    actorId: text('actor_id').notNull(),
    actorName: text('actor_name').notNull(),
    requestId: text('request_id').notNull(),
    createdAt: createdAt(),
    /** Time of the last transition (claimed, sent or settled): the age of a claim or a call. */
    movedAt: time('moved_at').notNull().default(sql`now()`),
    /** Time from which its call may have left; null: the vendor was never involved. */
    sentAt: time('sent_at'),
    /** Last poll of the outcome, written as the poll's lease: the process that writes it may poll. */
    checkedAt: time('checked_at'),
    /** Request or job that holds the poll lease; null: released. */
    checkedBy: text('checked_by'),
    /** Time at which operators were last notified by mail. */
    operatorToldAt: time('operator_told_at'),
    settledAt: time('settled_at'),
    /** Time until which the vendor accepts no other change of the subscription; null: no such time reported. */
    notBefore: time('not_before'),
    /** Operator who settled the change by hand; null: settled by the vendor's answer or a read. */
    settledBy: text('settled_by'),
    /** Time at which the customer confirmed having checked an unclear change, and by whom; null: not yet. */
    acknowledgedAt: time('acknowledged_at'),
    acknowledgedByKind: text('acknowledged_by_kind'),
    acknowledgedById: text('acknowledged_by_id'),
    acknowledgedByName: text('acknowledged_by_name'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    // One open change per asset, under any race.
    uniqueIndex('license_changes_open')
      .on(t.customerId, t.assetId)
      .where(sql`${t.state} in ('CLAIMED', 'SENT', 'UNKNOWN')`),
    uniqueIndex('license_changes_open_at_vendor')
      .on(t.customerId, t.vendorSubscriptionId)
      .where(sql`${t.state} in ('CLAIMED', 'SENT', 'UNKNOWN')`),
    // Changes that need a person, across customers.
    index('license_changes_unclear').on(t.customerId, t.id).where(sql`${t.state} = 'UNCLEAR'`),
    index('license_changes_newest').on(t.customerId, t.assetId, t.createdAt),
    // Without the id: few changes share a time, and a sort of those is cheap.
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

/** Attempts to send a change to its vendor. An attempt without `kind` has an unrecorded outcome. */
export const licenseChangeAttempts = pgTable(
  'license_change_attempts',
  {
    customerId: customerId(),
    changeId: key('change_id').notNull(),
    /** Number of the attempt, from 1. */
    number: integer('number').notNull(),
    /** Time at which the call may have left. */
    at: time('at').notNull().default(sql`clock_timestamp()`),
    /** Actor who requested the change, or its retry. */
    actorName: text('actor_name'),
    /** Requested total. */
    quantity: integer('quantity').notNull(),
    /** Outcome: applied, rejected, not_sent or unknown. */
    kind: text('kind'),
    /** Reason in the vendor's or our words, for operators only. */
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
