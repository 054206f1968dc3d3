import { sql } from 'drizzle-orm'
import {
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

/**
 * Person with an email address, across customers: each membership is a row of `members`, where a trigger maintains
 * this table, so that adding a member requires no access to other customers' rows.
 */
export const people = pgTable(
  'people',
  {
    id: key('id').primaryKey().default(sql`gen_random_uuid()::text`),
    email: text('email').notNull(),
    /**
     * Argon2id hash, for memberships without a separate password; setting it requires a verified address. Null: no
     * password.
     */
    passwordHash: text('password_hash'),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex('people_email').on(sql`lower(${t.email})`)],
)

/** Sign-in with a verified first factor and a pending step before the session. */
export const pendingSignIns = pgTable(
  'pending_sign_ins',
  {
    /** SHA-256 of the id in the browser's cookie. */
    digest: key('digest').primaryKey(),
    personId: key('person_id').notNull(),
    /** First factor, which determines the memberships it opens: see lib/identity/access/people/rules.ts. */
    proof: key('proof').notNull(),
    /**
     * Verified factors: `password`, `passkey`, `issuer`, and second factors in the notation of
     * lib/identity/access/factors/rules.ts.
     */
    proven: text('proven').array().notNull(),
    /** Selected customer, which requires a second factor before the sign-in completes. */
    picked: key('picked'),
    /** Identity provider that verified the member, and its sealed ID token: both are copied to the session. */
    providerId: key('provider_id'),
    idToken: text('id_token'),
    /** Number of attempts at steps, right or wrong. */
    tries: integer('tries').notNull().default(0),
    createdAt: createdAt(),
  },
  (t) => [index('pending_sign_ins_oldest').on(t.createdAt)],
)

/** Links to accept a membership or to reset its password. */
export const accountLinks = pgTable(
  'account_links',
  {
    customerId: customerId(),
    id: key('id').notNull().default(sql`gen_random_uuid()::text`),
    memberId: key('member_id').notNull(),
    kind: text('kind').notNull(),
    /** SHA-256 of the secret; null: its mail was not sent yet. */
    digest: key('digest'),
    /** Member who created it, or `operator`. */
    madeBy: key('made_by').notNull(),
    createdAt: createdAt(),
    expiresAt: time('expires_at').notNull(),
    usedAt: time('used_at'),
    withdrawnAt: time('withdrawn_at'),
    /** State of its mail; null: the secret was shown to the link's creator, and so verifies no address. */
    state: text('state'),
    /** Time from which another process may send the mail, or retry. */
    notBefore: time('not_before').notNull().default(sql`now()`),
    /** Mail server's reason for a refusal. */
    reason: text('reason'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    // For the previous release, which looks up digests here; a later one drops it.
    index('account_links_by_digest').on(t.digest).concurrently(),
    index('account_links_member').on(t.customerId, t.memberId),
    foreignKey({ columns: [t.customerId, t.memberId], foreignColumns: [members.customerId, members.id] }),
    check('account_links_kind', sql`${t.kind} in ('invitation', 'reset')`),
    check('account_links_state', sql`${t.state} in ('WAITING', 'SENDING', 'SENT', 'REFUSED', 'UNKNOWN')`),
  ],
)

/**
 * Request to reset a forgotten password, recorded for known and unknown addresses alike (no account enumeration); a job
 * looks the address up.
 */
export const recoveries = pgTable(
  'recoveries',
  {
    id: key('id').primaryKey().default(sql`gen_random_uuid()::text`),
    /** Address as typed. */
    email: text('email').notNull(),
    /** Null: not looked up yet, or an unknown address. */
    personId: key('person_id'),
    /** SHA-256 of the secret; null: its mail was not sent yet. */
    digest: key('digest'),
    createdAt: createdAt(),
    expiresAt: time('expires_at'),
    usedAt: time('used_at'),
    withdrawnAt: time('withdrawn_at'),
    state: text('state').notNull().default('WAITING'),
    notBefore: time('not_before').notNull().default(sql`now()`),
    reason: text('reason'),
  },
  (t) => [
    uniqueIndex('recoveries_digest').on(t.digest),
    index('recoveries_person').on(t.personId),
    index('recoveries_oldest').on(t.createdAt),
    check('recoveries_state', sql`${t.state} in ('WAITING', 'SENDING', 'SENT', 'REFUSED', 'UNKNOWN')`),
  ],
)
