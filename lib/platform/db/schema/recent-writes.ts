import { sql } from 'drizzle-orm'
import { customType, pgTable, primaryKey } from 'drizzle-orm/pg-core'
import { customerId, time } from './columns.ts'

const transactionId = customType<{ data: string }>({ dataType: () => 'xid8' })

/**
 * Which transactions have written for a customer of late, where reads may go to a replica: it is asked whether the
 * replica shows them all. Each row is written in the transaction that it names, and is gone after a minute or two.
 */
export const recentWrites = pgTable(
  'recent_writes',
  {
    customerId: customerId(),
    transaction: transactionId('transaction').notNull(),
    at: time('at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.customerId, t.transaction] })],
)
