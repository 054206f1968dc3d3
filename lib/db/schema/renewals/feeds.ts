import { foreignKey, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { customerId, key, time } from '../columns.ts'
import { members } from '../customers.ts'

/** The private link of a member's calendar: one for each. */
export const calendarFeeds = pgTable(
  'calendar_feeds',
  {
    customerId: customerId(),
    memberId: key('member_id').notNull(),
    /** Of the secret in the link, which is kept nowhere. */
    digest: key('digest').notNull(),
    lastFour: text('last_four').notNull(),
    madeAt: time('made_at').notNull().defaultNow(),
    /** To the minute. */
    lastReadAt: time('last_read_at'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.memberId] }),
    foreignKey({ columns: [t.customerId, t.memberId], foreignColumns: [members.customerId, members.id] }),
    uniqueIndex('calendar_feeds_digest').on(t.digest),
  ],
)
