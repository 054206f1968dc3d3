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
import { createdAt, customerId, key, time } from './columns.ts'
import { customers } from './customers.ts'

export const assets = pgTable(
  'assets',
  {
    customerId: customerId().references(() => customers.id),
    id: key('id').notNull(),
    type: text('type').notNull(),
    name: text('name').notNull(),
    customerDomain: text('customer_domain').notNull(),
    vendorCustomerId: text('vendor_customer_id').notNull(),
    reseller: text('reseller').notNull(),
    vendor: text('vendor').notNull().default('built-in'),
    createdAt: createdAt(),
    /** Null, like all that follows: an asset without licenses, billed by usage. */
    subscriptionId: text('subscription_id'),
    skuId: text('sku_id'),
    skuName: text('sku_name'),
    billingMethod: text('billing_method'),
    status: text('status'),
    purchaseOrderId: text('purchase_order_id'),
    resourceUiUrl: text('resource_ui_url'),
    planName: text('plan_name'),
    isCommitmentPlan: boolean('is_commitment_plan'),
    commitmentStart: time('commitment_start'),
    commitmentEnd: time('commitment_end'),
    renewalType: text('renewal_type'),
    seatsPurchased: integer('seats_purchased'),
    seatsMaximum: integer('seats_maximum'),
    seatsAssigned: integer('seats_assigned'),
    /** Moves when purchased seats, plan or status change; never with assigned seats. */
    seatVersion: integer('seat_version').notNull().default(1),
    /** When its vendor last told us of it; null where the books are ours. */
    observedAt: time('observed_at'),
    /** What its vendor will do at the next renewal by itself, as it told us last. */
    scheduledTotal: integer('scheduled_total'),
    scheduledAt: time('scheduled_at'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    index('assets_newest').on(t.customerId, t.createdAt, t.id),
    index('assets_type_newest').on(t.customerId, t.type, t.createdAt, t.id),
    // What the vendors' lists are matched by: they know no customer of ours.
    index('assets_at_vendor').on(t.vendor, t.vendorCustomerId, t.skuId).where(sql`${t.vendor} <> 'built-in'`),
    // Over all customers: the lock and the open change of an asset are those of its subscription.
    uniqueIndex('assets_one_per_subscription')
      .on(t.vendor, t.vendorCustomerId, t.subscriptionId)
      .where(sql`${t.vendor} <> 'built-in'`),
    check('assets_id_starts_with_type', sql`starts_with(${t.id}, ${t.type} || '-')`),
    check('assets_seats', sql`least(${t.seatsPurchased}, ${t.seatsMaximum}, ${t.seatsAssigned}) >= 0`),
    check(
      'assets_subscription_whole',
      sql`num_nonnulls(${t.subscriptionId}, ${t.skuId}, ${t.skuName}, ${t.billingMethod}, ${t.status}, ${t.planName}, ${t.isCommitmentPlan}, ${t.seatsPurchased}, ${t.seatsMaximum}, ${t.seatsAssigned}) in (0, 10)`,
    ),
  ],
)

export const licenseChanges = pgTable(
  'license_changes',
  {
    customerId: customerId(),
    id: key('id').notNull(),
    assetId: key('asset_id').notNull(),
    fromQuantity: integer('from_quantity').notNull(),
    toQuantity: integer('to_quantity').notNull(),
    state: text('state').notNull(),
    /** A total that a read showed while it was open, and that is neither of the two: somebody else has moved it. */
    seenQuantity: integer('seen_quantity'),
    /** Why the vendor refused, or what is known of a failure. */
    vendorReason: text('vendor_reason'),
    vendorRequestId: text('vendor_request_id'),
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
    settledAt: time('settled_at'),
    /** Before then the vendor takes no other change of the subscription, by its own word; null: it said nothing. */
    notBefore: time('not_before'),
    /** Who settled it by hand; null: the vendor's word did, or a read. */
    settledBy: text('settled_by'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    // One open change per asset, whatever races.
    uniqueIndex('license_changes_open')
      .on(t.customerId, t.assetId)
      .where(sql`${t.state} in ('CLAIMED', 'SENT', 'UNKNOWN')`),
    // Those that wait for a person, of all customers.
    index('license_changes_unclear').on(t.customerId, t.id).where(sql`${t.state} = 'UNCLEAR'`),
    index('license_changes_newest').on(t.customerId, t.assetId, t.createdAt),
    index('license_changes_all_newest').on(t.customerId, t.createdAt, t.id),
    foreignKey({ columns: [t.customerId, t.assetId], foreignColumns: [assets.customerId, assets.id] }),
    check(
      'license_changes_state',
      sql`${t.state} in ('CLAIMED', 'SENT', 'UNKNOWN', 'APPLIED', 'REJECTED', 'FAILED', 'UNCLEAR', 'DRIFT', 'RECORDED')`,
    ),
    check(
      'license_changes_settled',
      sql`(${t.settledAt} is null) = (${t.state} in ('CLAIMED', 'SENT', 'UNKNOWN'))`,
    ),
    check('license_changes_quantities', sql`least(${t.fromQuantity}, ${t.toQuantity}) >= 0`),
  ],
)

/** Purchased and assigned seats from a time on, as they were seen: a row where one of the two changed. */
export const seatReadings = pgTable(
  'seat_readings',
  {
    customerId: customerId(),
    assetId: key('asset_id').notNull(),
    at: time('at').notNull().default(sql`clock_timestamp()`),
    purchased: integer('purchased').notNull(),
    assigned: integer('assigned').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.assetId, t.at] }),
    foreignKey({ columns: [t.customerId, t.assetId], foreignColumns: [assets.customerId, assets.id] }),
    check('seat_readings_seats', sql`least(${t.purchased}, ${t.assigned}) >= 0`),
  ],
)
