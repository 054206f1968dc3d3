import { sql } from 'drizzle-orm'
import { check, doublePrecision, integer, pgTable, primaryKey } from 'drizzle-orm/pg-core'
import { key, time } from './columns.ts'

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
