import { sql } from 'drizzle-orm'
import { customType, pgTable, primaryKey } from 'drizzle-orm/pg-core'
import { customerId, time } from './columns.ts'

const transactionId = customType<{ data: string }>({ dataType: () => 'xid8' })

/**
 * Transactions that have recently written for a customer, for reads on a replica: checked for visibility in the
 * replica's snapshot. Each row is written in the transaction that it names, and deleted after a minute or two.
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
