import { sql } from 'drizzle-orm'
import { bigint, check, integer, pgTable, primaryKey } from 'drizzle-orm/pg-core'
import { customerId, key } from './columns.ts'
import { customers } from './customers.ts'

/**
 * What was given of each limit in its window, in shares to processes: of the newest window alone. The migration makes the
 * table unlogged: after a crash of the server it is empty, and the minute begins anew.
 */
export const limitWindows = pgTable(
  'limit_windows',
  {
    customerId: customerId(),
    /** Which limit, and whose: `requests`, or `requests key:<id>`. */
    subject: key('subject').notNull(),
    /** Windows since 1970. */
    windowNumber: bigint('window_number', { mode: 'number' }).notNull(),
    taken: integer('taken').notNull(),
    /** What the last one to ask was given. */
    share: integer('share').notNull(),
    /** Of the whole window. */
    quota: integer('quota').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.subject] }),
    check('limit_windows_share', sql`${t.share} between 0 and ${t.taken}`),
  ],
)

/** Limits of a customer's own, for a minute; null: those of the settings. */
export const customerLimits = pgTable(
  'customer_limits',
  {
    customerId: customerId().references(() => customers.id),
    requests: integer('requests'),
    changes: integer('changes'),
    exports: integer('exports'),
    /** How many times as much all keys and sessions together have. */
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
