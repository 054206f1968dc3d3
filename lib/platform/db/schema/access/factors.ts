import { sql } from 'drizzle-orm'
import { bigint, check, index, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { createdAt, key, time } from '../columns.ts'

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

/** What somebody has written down for the day on which their second factor is not at hand: each works once. */
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
