import { sql } from 'drizzle-orm'
import { bigint, check, integer, pgTable, primaryKey } from 'drizzle-orm/pg-core'
import { customerId, key } from './columns.ts'
import { customers } from './customers.ts'

/**
 * Shares of each limit's window granted to processes, for the newest window only. The migration makes the table
 * unlogged: after a crash of the server it is empty, and the minute starts over.
 */
export const limitWindows = pgTable(
  'limit_windows',
  {
    customerId: customerId(),
    /** Limit and its subject: `requests`, or `requests key:<id>`. */
    subject: key('subject').notNull(),
    /** Number of windows since 1970. */
    windowNumber: bigint('window_number', { mode: 'number' }).notNull(),
    taken: integer('taken').notNull(),
    /** Latest granted share. */
    share: integer('share').notNull(),
    /** Quota of the whole window. */
    quota: integer('quota').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.subject] }),
    check('limit_windows_share', sql`${t.share} between 0 and ${t.taken}`),
  ],
)

/** Limits per minute of a customer; null: the defaults of the settings. */
export const customerLimits = pgTable(
  'customer_limits',
  {
    customerId: customerId().references(() => customers.id),
    requests: integer('requests'),
    changes: integer('changes'),
    exports: integer('exports'),
    /** Multiple of the limits for all keys and sessions together. */
    together: integer('together'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId] }),
    check(
      'customer_limits_positive',
      sql`least(${t.requests}, ${t.changes}, ${t.exports}, ${t.together}) > 0`,
    ),
  ],
)
