import { sql } from 'drizzle-orm'
import { bigint, pgTable, text } from 'drizzle-orm/pg-core'
import { key, time } from './columns.ts'

/**
 * Progress of changes to many rows that a migration requests and that run while the service is up. A migration inserts
 * a row with a name; `lib/server/backfills/` does the rest. Not a customer's table: contains no data of customers
 * except one row id.
 */
export const backfills = pgTable('backfills', {
  name: key('name').primaryKey(),
  /** Customers up to this one, in the order of their ids, are done, or this one is in progress. Empty: none yet. */
  atCustomer: key('at_customer').notNull().default(''),
  /** Last finished row of this customer, by the backfill's row id; null: all rows are done. */
  afterRow: text('after_row'),
  /** Number of examined rows. */
  count: bigint('count', { mode: 'number' }).notNull().default(0),
  askedAt: time('asked_at').notNull().default(sql`now()`),
  /** End of the latest batch. */
  movedAt: time('moved_at'),
  /** Null: unfinished. A database without customers has nothing to fill, so the backfill is finished immediately. */
  finishedAt: time('finished_at').default(
    sql`CASE WHEN pg_relation_size('public.customers'::regclass) = 0 THEN now() END`,
  ),
})
