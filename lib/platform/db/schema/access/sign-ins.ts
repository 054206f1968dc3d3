import { sql } from 'drizzle-orm'
import {
  bigint,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
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
    /** Time until which no other process may send it, or try again. */
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
      sql`${t.event} in ('new-password', 'new-device', 'key-ends', 'key-leaked', 'factor-added', 'factor-removed', 'factors-reset', 'recovery-code-used', 'factor-refused', 'scim-token-leaked', 'domain-lost', 'domain-ended', 'renewal-near', 'renewal-not-done', 'renewal-unclear')`,
    ),
    check('account_mails_state', sql`${t.state} in ('WAITING', 'SENDING', 'SENT', 'REFUSED', 'UNKNOWN')`),
  ],
)

/** By what people prove who they are beside a password: apps that show codes, and passkeys. */
export const secondFactors = pgTable(
  'second_factors',
  {
    id: key('id').primaryKey().default(sql`gen_random_uuid()::text`),
    personId: key('person_id').notNull(),
    /** The customer at whom alone it counts; null: wherever its person is a member. See lib/identity/access/factors/rules.ts. */
    reach: key('reach'),
    kind: text('kind').notNull(),
    name: text('name').notNull(),
    /** Of an app: sealed, see lib/identity/access/factors/totp.ts. */
    secret: text('secret'),
    /** Of an app: the last time step whose code was used, in 30 s since 1970. No step is taken twice. */
    lastStep: bigint('last_step', { mode: 'number' }),
    /** Of a passkey: its id, as browsers write it. */
    credential: key('credential'),
    /** Of a passkey: COSE, in base64url. */
    publicKey: text('public_key'),
    /** Of a passkey: how often it has signed, where it counts. */
    counter: bigint('counter', { mode: 'number' }),
    /** Of a passkey: the ways on which a browser finds it. */
    transports: text('transports').array(),
    createdAt: createdAt(),
    lastUsedAt: time('last_used_at'),
  },
  (t) => [
    index('second_factors_person').on(t.personId),
    uniqueIndex('second_factors_credential').on(t.credential),
    uniqueIndex('second_factors_app')
      .on(t.personId, sql`coalesce(${t.reach}, '')`)
      .where(sql`${t.kind} = 'totp'`),
    check('second_factors_kind', sql`${t.kind} in ('totp', 'passkey')`),
    check(
      'second_factors_whole',
      sql`CASE WHEN ${t.kind} = 'totp' THEN ${t.secret} IS NOT NULL
        ELSE ${t.credential} IS NOT NULL AND ${t.publicKey} IS NOT NULL AND ${t.counter} IS NOT NULL END`,
    ),
  ],
)

/** Recovery codes for a day without the second factor: each works once. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    id: key('id').primaryKey().default(sql`gen_random_uuid()::text`),
    personId: key('person_id').notNull(),
    reach: key('reach'),
    /** SHA-256, of 80 random bits. */
    digest: key('digest').notNull(),
    createdAt: createdAt(),
    usedAt: time('used_at'),
  },
  (t) => [uniqueIndex('recovery_codes_digest').on(t.digest), index('recovery_codes_person').on(t.personId)],
)

/** Challenges that a passkey has answered: none is answered twice. Kept for as long as they could be. */
export const spentChallenges = pgTable(
  'spent_challenges',
  { digest: key('digest').primaryKey(), at: time('at').notNull().default(sql`now()`) },
  (t) => [index('spent_challenges_oldest').on(t.at)],
)

/**
 * Whose a credential or an address is: read before a customer is known, and by nobody else. It is written when one is made,
 * changed or removed, with the row itself (lib/platform/caller/credentials.ts), and never by its use.
 */
export const lookUps = pgTable(
  'look_ups',
  {
    /** See lib/platform/caller/credentials.ts. */
    kind: text('kind').notNull(),
    /** SHA-256: of a credential as its row has it, of an e-mail address what the function `address_digest` makes of it. */
    digest: key('digest').notNull(),
    customerId: customerId(),
    /** By which the row is found among the customer's. */
    id: key('id').notNull(),
  },
  (t) => [
    // By the digest alone: no customer is known yet, and it is by this column that a distributed database could spread it.
    primaryKey({ columns: [t.kind, t.digest, t.customerId] }),
    // One address may be a member of several customers. A credential opens one.
    uniqueIndex('look_ups_credential').on(t.kind, t.digest).where(sql`${t.kind} <> 'address'`),
    index('look_ups_row').on(t.customerId, t.kind, t.id),
  ],
)
