import { sql } from 'drizzle-orm'
import { pgTable, primaryKey, text, unique, uniqueIndex } from 'drizzle-orm/pg-core'
import { createdAt, customerId, key, time } from './columns.ts'
import { customers } from './customers.ts'

/**
 * Accounts of the reseller at vendors: how far the reading of each one's list has come. Their credentials lie in
 * settings and files, never here. A row is there once an account was read.
 */
export const vendorAccounts = pgTable(
  'vendor_accounts',
  {
    vendor: text('vendor').notNull(),
    /** As settings and imports name it; `default` is the one of the environment. */
    name: key('name').notNull(),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.vendor, t.name] })],
)

/** Subscriptions whose books a vendor keeps. Ours is the id that lasts; the vendor's own may change there. */
export const vendorSubscriptions = pgTable(
  'vendor_subscriptions',
  {
    customerId: customerId().references(() => customers.id),
    id: key('id').notNull(),
    vendor: text('vendor').notNull(),
    account: key('account').notNull(),
    /** The customer at the vendor. */
    vendorCustomerId: text('vendor_customer_id').notNull(),
    subscriptionId: text('subscription_id').notNull(),
    skuId: text('sku_id').notNull(),
    createdAt: createdAt(),
    /** When its vendor last told us of it. */
    observedAt: time('observed_at'),
    /** Digest of what it told then and our asset has; null: the asset has been written otherwise since. */
    observation: text('observation'),
    /** When its asset was pointed to another one; what became of it stays as history. */
    releasedAt: time('released_at'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    // Over all customers: whoever holds a subscription has its lock and its open change.
    uniqueIndex('vendor_subscriptions_held')
      .on(t.vendor, t.account, t.vendorCustomerId, t.subscriptionId)
      .where(sql`${t.releasedAt} is null`),
    // What an asset repeats of it: a foreign key keeps the two equal.
    unique('vendor_subscriptions_place').on(
      t.customerId,
      t.id,
      t.vendor,
      t.account,
      t.vendorCustomerId,
      t.subscriptionId,
      t.skuId,
    ),
  ],
)
