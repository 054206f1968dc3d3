import { foreignKey, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { customerId, key, time } from './columns.ts'
import { members } from './customers.ts'

/** What a member does not want to see of what needs them, as long as it says what it said then. */
export const needDismissals = pgTable(
  'need_dismissals',
  {
    customerId: customerId(),
    memberId: key('member_id').notNull(),
    /** Names the line: its kind, and what it is about. */
    needId: key('need_id').notNull(),
    /** A digest of what it said: with other figures it is shown again. */
    version: text('version').notNull(),
    dismissedAt: time('dismissed_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.memberId, t.needId] }),
    foreignKey({ columns: [t.customerId, t.memberId], foreignColumns: [members.customerId, members.id] }),
  ],
)
