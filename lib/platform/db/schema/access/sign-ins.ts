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
    /** Digest of an account, or of an account with an address or a browser: none is stored in clear text. */
    subject: key('subject').primaryKey(),
    failures: integer('failures').notNull(),
    lastAt: time('last_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    index('sign_in_budgets_oldest').on(t.lastAt),
    check('sign_in_budgets_failures', sql`${t.failures} >= 0`),
  ],
)

/** Count of the previous release, which may still run while this release starts. A later release drops the column. */
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
    /** Source it was opened; null: by a release that did not write it down. */
    address: text('address'),
    /** As the browser calls itself. */
    userAgent: text('user_agent'),
    /** The digest of the browser's mark; null as with the address. */
    browser: key('browser'),
    /** Time of the member's last fresh sign-in in this session; null: only the sign-in that opened the session. */
    provenAt: time('proven_at'),
    /**
     * Credential that opened the session, which also opens other memberships: see lib/identity/access/people/rules.ts.
     * Null: no other memberships.
     */
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

/**
 * Browsers in which a member has signed in: sign-in attempts from them don't count against the limit for unknown
 * browsers.
 */
export const knownBrowsers = pgTable(
  'known_browsers',
  {
    customerId: customerId(),
    memberId: key('member_id').notNull(),
    /** SHA-256 of the device cookie. */
    digest: key('digest').notNull(),
    createdAt: createdAt(),
    lastSignInAt: time('last_sign_in_at').notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.memberId, t.digest] }),
    foreignKey({ columns: [t.customerId, t.memberId], foreignColumns: [members.customerId, members.id] }),
  ],
)

/**
 * Outbox of mails to members about their own accounts: rows are written in the transaction of the event, and a job
 * sends them.
 */
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
    /** Reason why the mail server rejected the mail. */
    reason: text('reason'),
    /** API key that the mail is about, if any. */
    keyId: key('key_id'),
    /** Name of the subject of the mail: a domain, a directory token, or a plan with the ordered quantity. */
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

/** Second factors: authenticator apps (TOTP) and passkeys. */
export const secondFactors = pgTable(
  'second_factors',
  {
    id: key('id').primaryKey().default(sql`gen_random_uuid()::text`),
    personId: key('person_id').notNull(),
    /**
     * The only customer for which the factor is valid; null: all customers of the person. See
     * lib/identity/access/factors/rules.ts.
     */
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
    /** Signature counter of a passkey, if the authenticator has one. */
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

/** Challenges that a passkey has answered, against replay. Stored until they expire. */
export const spentChallenges = pgTable(
  'spent_challenges',
  { digest: key('digest').primaryKey(), at: time('at').notNull().default(sql`now()`) },
  (t) => [index('spent_challenges_oldest').on(t.at)],
)

/**
 * Credential index: owner of each credential and email address, read before the customer of a request is known. A row
 * is written together with the credential (lib/platform/caller/credentials.ts), and never when the credential is used.
 */
export const lookUps = pgTable(
  'look_ups',
  {
    /** See lib/platform/caller/credentials.ts. */
    kind: text('kind').notNull(),
    /**
     * SHA-256 of a credential, as in the credential's row; for an email address the result of the function
     * `address_digest`.
     */
    digest: key('digest').notNull(),
    customerId: customerId(),
    /** By which the row is found among the customer's. */
    id: key('id').notNull(),
  },
  (t) => [
    // Primary key by digest: no customer is known yet. A distributed database could distribute the table by this
    // column.
    primaryKey({ columns: [t.kind, t.digest, t.customerId] }),
    // One address may be a member of several customers. A credential opens one.
    uniqueIndex('look_ups_credential').on(t.kind, t.digest).where(sql`${t.kind} <> 'address'`),
    index('look_ups_row').on(t.customerId, t.kind, t.id),
  ],
)
