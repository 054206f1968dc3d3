import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { createdAt, customerId, day, key, time } from './columns.ts'
import { billingProfiles, customers, members } from './customers.ts'
import { invoices } from './invoices/invoices.ts'
import { licenseChanges } from './license-changes.ts'

const NOTICES = sql.raw(`array['new','due','past-due']`)
const STOPPABLE = sql.raw(`array['new','due','past-due','licenses','needs']`)

/** Recipient of notices: one address, regardless of the number of its billing profiles. */
export const noticeRecipients = pgTable(
  'notice_recipients',
  {
    customerId: customerId().references(() => customers.id),
    id: key('id').notNull(),
    email: text('email').notNull(),
    /** Notices that the recipient has unsubscribed from; they stay stopped when the operator removes the address. */
    stopped: text('stopped').array().notNull().default(sql`'{}'`),
    /** Mail server's reason for refusing the address, which is not tried again; null: valid. */
    failure: text('failure'),
    failedAt: time('failed_at'),
    createdAt: createdAt(),
    /** Time since which the recipient is notified of totals changed by a vendor; null: not subscribed. */
    licensesSince: time('licenses_since'),
    /** Time since which the member gets a weekly mail about open tasks; null: not subscribed. */
    needsSince: time('needs_since'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    uniqueIndex('notice_recipients_email').on(t.customerId, sql`lower(${t.email})`),
    check('notice_recipients_stopped', sql`${t.stopped} <@ ${STOPPABLE}`),
    check('notice_recipients_failed', sql`(${t.failure} is null) = (${t.failedAt} is null)`),
  ],
)

/** Kinds of notices by recipient and billing profile. */
export const noticeSubscriptions = pgTable(
  'notice_subscriptions',
  {
    customerId: customerId(),
    recipientId: key('recipient_id').notNull(),
    billingProfileId: key('billing_profile_id').notNull(),
    kinds: text('kinds').array().notNull(),
    /** Whether the PDFs of new invoices are attached. */
    attachesPdf: boolean('attaches_pdf').notNull().default(false),
    /** Invoices that arrived earlier are not reported as new. */
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

/** Mail to a recipient: at most one a day, guaranteed by the primary key. Written before it is sent. */
/**
 * Request of an Admin that an address gets notices about a billing profile, and the mail that asks the address to
 * confirm it. Without a confirmation there is no subscription.
 */
export const noticeConfirmations = pgTable(
  'notice_confirmations',
  {
    customerId: customerId(),
    /** Named by the link in the mail; each request has another one. */
    id: key('id').notNull(),
    recipientId: key('recipient_id').notNull(),
    billingProfileId: key('billing_profile_id').notNull(),
    kinds: text('kinds').array().notNull(),
    attachesPdf: boolean('attaches_pdf').notNull(),
    /** Member who requested it. */
    requestedBy: key('requested_by').notNull(),
    createdAt: createdAt(),
    /** Time until which the link works. */
    expiresAt: time('expires_at').notNull(),
    /** Outcome of the request; null: open, or expired. */
    outcome: text('outcome', { enum: ['CONFIRMED', 'DECLINED', 'WITHDRAWN'] }),
    endedAt: time('ended_at'),
    /** State of the mail. */
    state: text('state').notNull().default('WAITING'),
    /** Time until which no other process may send the mail, or try again. */
    notBefore: time('not_before').notNull().default(sql`now()`),
    /** Mail server's reason for a refusal. */
    reason: text('reason'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    uniqueIndex('notice_confirmations_open')
      .on(t.customerId, t.recipientId, t.billingProfileId)
      .where(sql`${t.outcome} IS NULL`),
    index('notice_confirmations_profile').on(t.customerId, t.billingProfileId, t.createdAt),
    foreignKey({
      columns: [t.customerId, t.recipientId],
      foreignColumns: [noticeRecipients.customerId, noticeRecipients.id],
    }),
    foreignKey({
      columns: [t.customerId, t.billingProfileId],
      foreignColumns: [billingProfiles.customerId, billingProfiles.id],
    }),
    foreignKey({ columns: [t.customerId, t.requestedBy], foreignColumns: [members.customerId, members.id] }),
    check('notice_confirmations_kinds', sql`${t.kinds} <@ ${NOTICES} and ${t.kinds} <> '{}'`),
    check('notice_confirmations_outcome', sql`${t.outcome} in ('CONFIRMED', 'DECLINED', 'WITHDRAWN')`),
    check('notice_confirmations_ended', sql`(${t.outcome} is null) = (${t.endedAt} is null)`),
    check(
      'notice_confirmations_state',
      sql`${t.state} in ('WAITING', 'SENDING', 'SENT', 'REFUSED', 'UNKNOWN')`,
    ),
  ],
)

/** Mail to a recipient: at most one a day, under any race. Written before it is sent. */
export const noticeMails = pgTable(
  'notice_mails',
  {
    customerId: customerId(),
    recipientId: key('recipient_id').notNull(),
    /** UTC day on which it was written. */
    toldOn: day('told_on').notNull(),
    state: text('state').notNull().default('SENDING'),
    /** Sendings that may have left; certain failures are not counted. */
    attempts: integer('attempts').notNull().default(1),
    claimedAt: time('claimed_at').notNull().default(sql`now()`),
    /** Whether the mail repeats an overdue notice. */
    reminds: boolean('reminds').notNull().default(false),
    /** Whether the mail lists the recipient's open tasks, once a week. */
    tellsNeeds: boolean('tells_needs').notNull().default(false),
    /** Mail server's reason for a refusal. */
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

/** Kind of notice of an invoice in a mail. Overdue notices are repeated, others never. */
export const notices = pgTable(
  'notices',
  {
    customerId: customerId(),
    recipientId: key('recipient_id').notNull(),
    invoiceId: key('invoice_id').notNull(),
    kind: text('kind').notNull(),
    toldOn: day('told_on').notNull(),
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

/** License change by a vendor in a mail, once per recipient. */
export const noticeChanges = pgTable(
  'notice_changes',
  {
    customerId: customerId(),
    recipientId: key('recipient_id').notNull(),
    changeId: key('change_id').notNull(),
    toldOn: day('told_on').notNull(),
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

/** Open task that a member has dismissed, as long as its content is unchanged. */
export const needDismissals = pgTable(
  'need_dismissals',
  {
    customerId: customerId(),
    memberId: key('member_id').notNull(),
    /** Id of the task: its kind and subject. */
    needId: key('need_id').notNull(),
    /** Digest of the task's content: with other figures, the task is shown again. */
    version: text('version').notNull(),
    dismissedAt: time('dismissed_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.memberId, t.needId] }),
    foreignKey({ columns: [t.customerId, t.memberId], foreignColumns: [members.customerId, members.id] }),
  ],
)
