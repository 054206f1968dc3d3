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
import { vendorSubscriptions } from './vendors.ts'

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
    /** Reseller's account at the vendor. */
    vendorAccount: key('vendor_account').notNull().default('default'),
    /** Subscription at an external vendor: our permanent id for it. */
    vendorSubscriptionId: key('vendor_subscription_id'),
    createdAt: createdAt(),
    /** Null, like all following columns: an asset without licenses, billed by usage. */
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
    /** Incremented when purchased seats, plan or status change; never with assigned seats. */
    seatVersion: integer('seat_version').notNull().default(1),
    /** Total that the vendor will set at the next renewal by itself, by its latest report. */
    scheduledTotal: integer('scheduled_total'),
    scheduledAt: time('scheduled_at'),
    /** Purchase order that the customer wants on invoice lines for this asset; distinct from the vendor's order. */
    postingOrder: text('posting_order'),
    costCenter: text('cost_center'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    index('assets_newest').on(t.customerId, t.createdAt, t.id),
    index('assets_type_newest').on(t.customerId, t.type, t.createdAt, t.id),
    // A subscription at a vendor belongs to one asset, whose row serves as its lock.
    uniqueIndex('assets_one_per_subscription').on(t.customerId, t.vendorSubscriptionId),
    foreignKey({
      name: 'assets_at_vendor',
      columns: [
        t.customerId,
        t.vendorSubscriptionId,
        t.vendor,
        t.vendorAccount,
        t.vendorCustomerId,
        t.subscriptionId,
        t.skuId,
      ],
      foreignColumns: [
        vendorSubscriptions.customerId,
        vendorSubscriptions.id,
        vendorSubscriptions.vendor,
        vendorSubscriptions.account,
        vendorSubscriptions.vendorCustomerId,
        vendorSubscriptions.subscriptionId,
        vendorSubscriptions.skuId,
      ],
    }).onUpdate('cascade'),
    check(
      'assets_of_vendors_point_there',
      sql`(${t.vendorSubscriptionId} is not null) = (${t.vendor} <> 'built-in' and ${t.subscriptionId} is not null)`,
    ),
    check('assets_id_starts_with_type', sql`starts_with(${t.id}, ${t.type} || '-')`),
    check('assets_seats', sql`least(${t.seatsPurchased}, ${t.seatsMaximum}, ${t.seatsAssigned}) >= 0`),
    check(
      'assets_subscription_whole',
      sql`num_nonnulls(${t.subscriptionId}, ${t.skuId}, ${t.skuName}, ${t.billingMethod}, ${t.status}, ${t.planName}, ${t.isCommitmentPlan}, ${t.seatsPurchased}, ${t.seatsMaximum}, ${t.seatsAssigned}) in (0, 10)`,
    ),
  ],
)

/** Observed purchased and assigned seats from a time on: a row for each change of one of the two. */
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
