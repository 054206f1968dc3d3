import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  date,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { createdAt, customerId, key, time } from './columns.ts'
import { billingProfiles, customers, members } from './customers.ts'
import { invoices } from './invoices/invoices.ts'
import { licenseChanges } from './license-changes.ts'

const NOTICES = sql.raw(`array['new','due','past-due']`)
const STOPPABLE = sql.raw(`array['new','due','past-due','licenses','needs']`)

/** Whom notices go to: one address, whichever of the customer's billing profiles it is told of. */
export const noticeRecipients = pgTable(
  'notice_recipients',
  {
    customerId: customerId().references(() => customers.id),
    id: key('id').notNull(),
    email: text('email').notNull(),
    /** The notices that this person does not want; kept also when the operator takes the address out. */
    stopped: text('stopped').array().notNull().default(sql`'{}'`),
    /** Why the mail server refused the address, which is not tried again; null: it is good. */
    failure: text('failure'),
    failedAt: time('failed_at'),
    createdAt: createdAt(),
    /** From when on it is told of the totals that a vendor changed by itself; null: it is not. */
    licensesSince: time('licenses_since'),
    /** Since when it gets what needs its member, once a week; null: they have not asked for it. */
    needsSince: time('needs_since'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    uniqueIndex('notice_recipients_email').on(t.customerId, sql`lower(${t.email})`),
    check('notice_recipients_stopped', sql`${t.stopped} <@ ${STOPPABLE}`),
    check('notice_recipients_failed', sql`(${t.failure} is null) = (${t.failedAt} is null)`),
  ],
)

/** Which notices an address gets of which billing profile. */
export const noticeSubscriptions = pgTable(
  'notice_subscriptions',
  {
    customerId: customerId(),
    recipientId: key('recipient_id').notNull(),
    billingProfileId: key('billing_profile_id').notNull(),
    kinds: text('kinds').array().notNull(),
    /** What arrived before is not told of as new. */
    since: time('since').notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.recipientId, t.billingProfileId] }),
    foreignKey({
      columns: [t.customerId, t.recipientId],
      foreignColumns: [noticeRecipients.customerId, noticeRecipients.id],
    }),
    foreignKey({
      columns: [t.customerId, t.billingProfileId],
      foreignColumns: [billingProfiles.customerId, billingProfiles.id],
    }),
    check('notice_subscriptions_kinds', sql`${t.kinds} <@ ${NOTICES} and ${t.kinds} <> '{}'`),
  ],
)

/** A mail to a recipient: one a day at most, whatever races. Written before it is sent. */
export const noticeMails = pgTable(
  'notice_mails',
  {
    customerId: customerId(),
    recipientId: key('recipient_id').notNull(),
    /** The day of UTC on which it was written. */
    toldOn: date('told_on').notNull(),
    state: text('state').notNull().default('SENDING'),
    /** How often it may have left: what surely did not leave is not counted. */
    attempts: integer('attempts').notNull().default(1),
    claimedAt: time('claimed_at').notNull().default(sql`now()`),
    /** Whether it tells again of something that is past due. */
    reminds: boolean('reminds').notNull().default(false),
    /** Whether it tells what needs the recipient: once a week. */
    tellsNeeds: boolean('tells_needs').notNull().default(false),
    /** Why the mail server refused it. */
    reason: text('reason'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.recipientId, t.toldOn] }),
    foreignKey({
      columns: [t.customerId, t.recipientId],
      foreignColumns: [noticeRecipients.customerId, noticeRecipients.id],
    }),
    check('notice_mails_state', sql`${t.state} in ('SENDING', 'SENT', 'REFUSED', 'UNKNOWN')`),
    check('notice_mails_attempts', sql`${t.attempts} >= 1`),
  ],
)

/** What a mail tells: a kind of notice of an invoice. Past due is told again, the others never. */
export const notices = pgTable(
  'notices',
  {
    customerId: customerId(),
    recipientId: key('recipient_id').notNull(),
    invoiceId: key('invoice_id').notNull(),
    kind: text('kind').notNull(),
    toldOn: date('told_on').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.recipientId, t.invoiceId, t.kind, t.toldOn] }),
    uniqueIndex('notices_once')
      .on(t.customerId, t.recipientId, t.invoiceId, t.kind)
      .where(sql`${t.kind} <> 'past-due'`),
    index('notices_of_mail').on(t.customerId, t.recipientId, t.toldOn),
    index('notices_of_invoice').on(t.customerId, t.invoiceId),
    foreignKey({
      columns: [t.customerId, t.recipientId, t.toldOn],
      foreignColumns: [noticeMails.customerId, noticeMails.recipientId, noticeMails.toldOn],
    }).onDelete('cascade'),
    foreignKey({
      columns: [t.customerId, t.invoiceId],
      foreignColumns: [invoices.customerId, invoices.id],
    }).onDelete('cascade'),
    check('notices_kind', sql`array[${t.kind}] <@ ${NOTICES}`),
  ],
)

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
