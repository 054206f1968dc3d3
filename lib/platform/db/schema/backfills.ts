import { sql } from 'drizzle-orm'
import { bigint, pgTable, text } from 'drizzle-orm/pg-core'
import { key, time } from './columns.ts'

/**
 * How far changes of many rows are that a migration asked for, and that are made while the service runs. A migration
 * asks by a row with a name; `lib/server/backfills/` does the rest. Of no customer: it has no values of their rows but
 * the key of one.
 */
export const backfills = pgTable('backfills', {
  name: key('name').primaryKey(),
  /** The customers up to this one, in the order of their ids, are done, or this one is under way. Empty: none is. */
  atCustomer: key('at_customer').notNull().default(''),
  /** The row of this customer up to which it is done, as the backfill tells rows apart; null: all of its rows are. */
  afterRow: text('after_row'),
  /** How many rows were looked at. */
  count: bigint('count', { mode: 'number' }).notNull().default(0),
  askedAt: time('asked_at').notNull().default(sql`now()`),
  /** When the latest batch was done. */
  movedAt: time('moved_at'),
  /** Null: open. A database that never had a customer has nothing to fill: what is asked of it is done at once. */
  finishedAt: time('finished_at').default(
    sql`CASE WHEN pg_relation_size('public.customers'::regclass) = 0 THEN now() END`,
  ),
})
