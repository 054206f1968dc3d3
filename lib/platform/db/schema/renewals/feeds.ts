import { foreignKey, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
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
    // For the release before, which looks digests up here; a later one drops it.
    index('calendar_feeds_by_digest').on(t.digest).concurrently(),
  ],
)
