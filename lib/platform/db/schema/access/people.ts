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
 * Whoever has an e-mail address. Of no customer: each of their memberships is a row of `members`, and a trigger there
 * keeps this table right, so that nobody who adds a member has to see whom other customers have.
 */
export const people = pgTable(
  'people',
  {
    id: key('id').primaryKey().default(sql`gen_random_uuid()::text`),
    email: text('email').notNull(),
    /**
     * Argon2id. It opens each membership that has no password of its own; whoever set it has proven the address. Null:
     * there is none.
     */
    passwordHash: text('password_hash'),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex('people_email').on(sql`lower(${t.email})`)],
)

/** Somebody who has proven who they are, and has a step to go before there is a session. */
export const pendingSignIns = pgTable(
  'pending_sign_ins',
  {
    /** SHA-256 of the id that the browser keeps as a cookie of its own. */
    digest: key('digest').primaryKey(),
    personId: key('person_id').notNull(),
    /** What was proven first, and therefore whom it opens: see lib/identity/access/people/rules.ts. */
    proof: key('proof').notNull(),
    /** All that was proven: `password`, `passkey`, `issuer`, and second factors as lib/identity/access/factors/rules.ts writes them. */
    proven: text('proven').array().notNull(),
    /** The customer that was picked, where its second factor is still to be proven. */
    picked: key('picked'),
    /** The identity provider that has proven it, and its ID token, sealed: both go on to the session. */
    providerId: key('provider_id'),
    idToken: text('id_token'),
    /** Steps that were tried, right or wrong. */
    tries: integer('tries').notNull().default(0),
    createdAt: createdAt(),
  },
  (t) => [index('pending_sign_ins_oldest').on(t.createdAt)],
)

/** Links with which somebody takes up a membership, or sets its password anew. */
export const accountLinks = pgTable(
  'account_links',
  {
    customerId: customerId(),
    id: key('id').notNull().default(sql`gen_random_uuid()::text`),
    memberId: key('member_id').notNull(),
    kind: text('kind').notNull(),
    /** SHA-256 of the secret; null: the mail that it is made for has not left yet. */
    digest: key('digest'),
    /** The member who made it, or `operator`. */
    madeBy: key('made_by').notNull(),
    createdAt: createdAt(),
    expiresAt: time('expires_at').notNull(),
    usedAt: time('used_at'),
    withdrawnAt: time('withdrawn_at'),
    /** Of its mail; null: the secret was shown to whoever made it, and so proves no address. */
    state: text('state'),
    /** Until when nobody else may send it, or try again. */
    notBefore: time('not_before').notNull().default(sql`now()`),
    /** Why the mail server did not take it. */
    reason: text('reason'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    // For the release before, which looks digests up here; a later one drops it.
    index('account_links_by_digest').on(t.digest).concurrently(),
    index('account_links_member').on(t.customerId, t.memberId),
    foreignKey({ columns: [t.customerId, t.memberId], foreignColumns: [members.customerId, members.id] }),
    check('account_links_kind', sql`${t.kind} in ('invitation', 'reset')`),
    check('account_links_state', sql`${t.state} in ('WAITING', 'SENDING', 'SENT', 'REFUSED', 'UNKNOWN')`),
  ],
)

/** Asked for by somebody who has forgotten a password, whether anybody has that address or not: a job finds out. */
export const recoveries = pgTable(
  'recoveries',
  {
    id: key('id').primaryKey().default(sql`gen_random_uuid()::text`),
    /** As it was typed. */
    email: text('email').notNull(),
    /** Null: nobody has looked yet, or nobody has that address. */
    personId: key('person_id'),
    /** SHA-256 of the secret; null: the mail has not left yet. */
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
