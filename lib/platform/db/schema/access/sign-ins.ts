import { sql } from 'drizzle-orm'
import { check, foreignKey, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { createdAt, customerId, key, time } from '../columns.ts'
import { members } from '../customers.ts'

/** Failures in a row that count against the next attempt. No tenant's: who calls is not known yet. */
export const signInBudgets = pgTable(
  'sign_in_budgets',
  {
    /** Digest of an account, alone or with an address or a browser: none is kept in clear. */
    subject: key('subject').primaryKey(),
    failures: integer('failures').notNull(),
    lastAt: time('last_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    index('sign_in_budgets_oldest').on(t.lastAt),
    check('sign_in_budgets_failures', sql`${t.failures} >= 0`),
  ],
)

/** Where the release before counts, which may still run while this one starts. A later release drops it. */
export const signInAttempts = pgTable(
  'sign_in_attempts',
  {
    attempt: key('attempt').notNull(),
    subject: key('subject').notNull(),
    at: time('at').notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.attempt, t.subject] }),
    index('sign_in_attempts_subject').on(t.subject, t.at),
    index('sign_in_attempts_oldest').on(t.at),
  ],
)

export const sessions = pgTable(
  'sessions',
  {
    customerId: customerId(),
    /** SHA-256 of the id in the cookie: a read of this table opens no session, nor does the name that lists give it. */
    digest: key('digest').notNull(),
    memberId: key('member_id').notNull(),
    createdAt: createdAt(),
    lastSeenAt: time('last_seen_at').notNull().default(sql`now()`),
    /** From where it was opened; null: by a release that did not write it down. */
    address: text('address'),
    /** As the browser calls itself. */
    userAgent: text('user_agent'),
    /** The digest of the browser's mark; null as with the address. */
    browser: key('browser'),
    /** When its member proved anew who they are; null: not since the sign-in that it was opened by. */
    provenAt: time('proven_at'),
    /** What opened it, and therefore whom else it opens: see lib/identity/access/people/rules.ts. Null: nobody else. */
    proof: key('proof'),
    /** All that was proven in it, as in `pending_sign_ins`; null: by a release that did not write it down. */
    proven: text('proven').array(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.digest] }),
    // For the release before, which looks digests up here; a later one drops it.
    index('sessions_by_digest').on(t.digest).concurrently(),
    index('sessions_member').on(t.customerId, t.memberId),
    foreignKey({ columns: [t.customerId, t.memberId], foreignColumns: [members.customerId, members.id] }),
  ],
)

/** Browsers in which a member has signed in: those need no share of what strangers may try. */
export const knownBrowsers = pgTable(
  'known_browsers',
  {
    customerId: customerId(),
    memberId: key('member_id').notNull(),
    /** SHA-256 of the mark that the browser keeps as a cookie. */
    digest: key('digest').notNull(),
    createdAt: createdAt(),
    lastSignInAt: time('last_sign_in_at').notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.memberId, t.digest] }),
    foreignKey({ columns: [t.customerId, t.memberId], foreignColumns: [members.customerId, members.id] }),
  ],
)

/** Mails to members about their own accounts: written with what they tell of, sent by a job. */
export const accountMails = pgTable(
  'account_mails',
  {
    customerId: customerId(),
    id: key('id').notNull().default(sql`gen_random_uuid()::text`),
    memberId: key('member_id').notNull(),
    event: text('event').notNull(),
    at: time('at').notNull().default(sql`now()`),
    address: text('address'),
    userAgent: text('user_agent'),
    state: text('state').notNull().default('WAITING'),
    /** Until when nobody else may send it, or try again. */
    notBefore: time('not_before').notNull().default(sql`now()`),
    /** Why the mail server did not take it. */
    reason: text('reason'),
    /** The API key that it is about, where it is about one. */
    keyId: key('key_id'),
    /** The name of what else it is about: a domain, a token of a directory, or a plan with what was ordered. */
    about: text('about'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    foreignKey({ columns: [t.customerId, t.memberId], foreignColumns: [members.customerId, members.id] }),
    check(
      'account_mails_event',
      sql`${t.event} in ('new-password', 'new-device', 'key-ends', 'key-leaked', 'factor-added', 'factor-removed', 'factors-reset', 'recovery-code-used', 'scim-token-leaked', 'domain-lost', 'domain-ended', 'renewal-near', 'renewal-not-done')`,
    ),
    check('account_mails_state', sql`${t.state} in ('WAITING', 'SENDING', 'SENT', 'REFUSED', 'UNKNOWN')`),
  ],
)
