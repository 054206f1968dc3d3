import { sql } from 'drizzle-orm'
import {
  check,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
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
    /** When its list may be read, or be gone on with. */
    listNextAt: time('list_next_at').notNull().default(sql`clock_timestamp()`),
    /** Of the pass that is under way: when it began, where it goes on, and which of the vendor's customers failed. */
    listBeganAt: time('list_began_at'),
    listCursor: text('list_cursor'),
    listFailed: text('list_failed').array().notNull().default(sql`'{}'`),
    /** When a process last tried it after it had failed for many; null: its vendor answered since. */
    probedAt: time('probed_at'),
    /** When a pass last came to the end of the list. */
    listEndedAt: time('list_ended_at'),
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
    // The two ids in small letters: a vendor may write them in any. Columns, for under row-level security no index on a
    // call of lower() is used.
    vendorCustomerKey: text('vendor_customer_key').generatedAlwaysAs(sql`lower(vendor_customer_id)`),
    subscriptionKey: text('subscription_key').generatedAlwaysAs(sql`lower(subscription_id)`),
    createdAt: createdAt(),
    /** When its vendor last told us of it. */
    observedAt: time('observed_at'),
    /** When it is to be read by itself; null: the list comes to it. */
    nextReadAt: time('next_read_at'),
    /** When it was last asked for because somebody wanted to know at once: who writes it may ask. */
    askedAt: time('asked_at'),
    /** Digest of what it told then and our asset has; null: the asset has been written otherwise since. */
    observation: text('observation'),
    /** When its asset was pointed to another one; what became of it stays as history. */
    releasedAt: time('released_at'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    // Over all customers: whoever holds a subscription has its lock and its open change. Also what the vendors' lists are
    // matched by: letters' case tells no two apart.
    uniqueIndex('vendor_subscriptions_held')
      .on(t.vendor, t.account, t.vendorCustomerKey, t.subscriptionKey)
      .where(sql`${t.releasedAt} is null`),
    index('vendor_subscriptions_due')
      .on(t.vendor, t.account, t.nextReadAt)
      .where(sql`${t.nextReadAt} is not null`),
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

/** How many calls an account may still make at a vendor's API: of no customer, and shared by all processes. */
export const vendorBudgets = pgTable(
  'vendor_budgets',
  {
    vendor: key('vendor').notNull(),
    /** The reseller's account there. */
    account: key('account').notNull(),
    api: key('api').notNull(),
    /** Calls that were left at `refilled_at`, fractions too: they come back with time. */
    tokens: doublePrecision('tokens').notNull(),
    refilledAt: time('refilled_at').notNull(),
    /** Until then nobody calls, because the vendor said so. */
    closedUntil: time('closed_until'),
    /** Seconds of the latest closing for which the vendor gave no time; the next one soon after is longer. */
    closedFor: integer('closed_for').notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.vendor, t.account, t.api] }),
    check('vendor_budgets_tokens', sql`${t.tokens} >= 0`),
  ],
)
