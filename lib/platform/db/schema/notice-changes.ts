import { date, foreignKey, index, pgTable, primaryKey } from 'drizzle-orm/pg-core'
import { customerId, key } from './columns.ts'
import { licenseChanges } from './license-changes.ts'
import { noticeMails } from './notices.ts'

/** What a mail tells of licenses: a total that a vendor changed by itself, to each recipient once. */
export const noticeChanges = pgTable(
  'notice_changes',
  {
    customerId: customerId(),
    recipientId: key('recipient_id').notNull(),
    changeId: key('change_id').notNull(),
    toldOn: date('told_on').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.recipientId, t.changeId] }),
    index('notice_changes_of_mail').on(t.customerId, t.recipientId, t.toldOn),
    foreignKey({
      columns: [t.customerId, t.recipientId, t.toldOn],
      foreignColumns: [noticeMails.customerId, noticeMails.recipientId, noticeMails.toldOn],
    }).onDelete('cascade'),
    foreignKey({
      columns: [t.customerId, t.changeId],
      foreignColumns: [licenseChanges.customerId, licenseChanges.id],
    }),
  ],
)
