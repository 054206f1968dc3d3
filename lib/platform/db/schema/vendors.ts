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
 * Reseller's accounts at vendors, with the progress of reading each list. Their credentials are in settings and files,
 * never here. A row exists once an account was read.
 */
export const vendorAccounts = pgTable(
  'vendor_accounts',
  {
    vendor: text('vendor').notNull(),
    /** Name in settings and imports; `default` is the account of the environment variables. */
    name: key('name').notNull(),
    createdAt: createdAt(),
    /** Time from which the vendor's list may be read or continued. */
    listNextAt: time('list_next_at').notNull().default(sql`clock_timestamp()`),
    /** Current pass over the list: start, next page, and the vendor's customers that failed. */
    listBeganAt: time('list_began_at'),
    listCursor: text('list_cursor'),
    listFailed: text('list_failed').array().notNull().default(sql`'{}'`),
    /** Latest half-open probe by a process after repeated failures; null: the vendor has answered since. */
    probedAt: time('probed_at'),
    /** Time at which the latest pass reached the end of the list. */
    listEndedAt: time('list_ended_at'),
  },
  (t) => [primaryKey({ columns: [t.vendor, t.name] })],
)

/** Subscriptions at external vendors. Our id is permanent; the vendor's may change. */
export const vendorSubscriptions = pgTable(
  'vendor_subscriptions',
  {
    customerId: customerId().references(() => customers.id),
    id: key('id').notNull(),
    vendor: text('vendor').notNull(),
    account: key('account').notNull(),
    /** Customer's id at the vendor. */
    vendorCustomerId: text('vendor_customer_id').notNull(),
    subscriptionId: text('subscription_id').notNull(),
    skuId: text('sku_id').notNull(),
    // Both ids in lower case, because a vendor may vary the case. Generated columns, since row-level security prevents
    // the use of an index on lower(), which is not leakproof.
    vendorCustomerKey: text('vendor_customer_key').generatedAlwaysAs(sql`lower(vendor_customer_id)`),
    subscriptionKey: text('subscription_key').generatedAlwaysAs(sql`lower(subscription_id)`),
    createdAt: createdAt(),
    /** Time of the vendor's latest report of the subscription. */
    observedAt: time('observed_at'),
    /** Time of the next individual read; null: covered by the list. */
    nextReadAt: time('next_read_at'),
    /** Latest read on demand, written as its lease: the process that writes it may read. */
    askedAt: time('asked_at'),
    /** Digest of the report and of our asset; null: the asset was changed since. */
    observation: text('observation'),
    /** Time at which its asset was linked to another subscription; the row stays as history. */
    releasedAt: time('released_at'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    // Across customers: the holder of a subscription has its lock and its open change. Also matches the vendors' lists,
    // case-insensitively.
    uniqueIndex('vendor_subscriptions_held')
      .on(t.vendor, t.account, t.vendorCustomerKey, t.subscriptionKey)
      .where(sql`${t.releasedAt} is null`),
    index('vendor_subscriptions_due')
      .on(t.vendor, t.account, t.nextReadAt)
      .where(sql`${t.nextReadAt} is not null`),
    // Target of the foreign key that guarantees equal copies in `assets`.
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

/** Remaining calls of an account at a vendor's API: not a customer's table, shared by all processes. */
export const vendorBudgets = pgTable(
  'vendor_budgets',
  {
    vendor: key('vendor').notNull(),
    /** Reseller's account at the vendor. */
    account: key('account').notNull(),
    api: key('api').notNull(),
    /** Tokens at `refilled_at`, with fractions: one per call, refilled over time. */
    tokens: doublePrecision('tokens').notNull(),
    refilledAt: time('refilled_at').notNull(),
    /** Time until which no process calls, after a throttle. */
    closedUntil: time('closed_until'),
    /** Seconds of the latest pause without the vendor's Retry-After; the next one soon after is longer. */
    closedFor: integer('closed_for').notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.vendor, t.account, t.api] }),
    check('vendor_budgets_tokens', sql`${t.tokens} >= 0`),
  ],
)
