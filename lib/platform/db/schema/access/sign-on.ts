import { sql } from 'drizzle-orm'
import { check, foreignKey, index, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { createdAt, customerId, key, time } from '../columns.ts'
import { customers, members } from '../customers.ts'
import { sessions } from './sign-ins.ts'

/** Where a customer's people sign in: an issuer of OpenID Connect, and what is agreed with it. */
export const identityProviders = pgTable(
  'identity_providers',
  {
    customerId: customerId().references(() => customers.id),
    /** Random: it stands in the address to which the issuer leads back, and tells issuers apart there. */
    id: key('id').notNull().default(sql`gen_random_uuid()::text`),
    /** As the operator's commands call it. */
    name: key('name').notNull(),
    issuer: key('issuer').notNull(),
    clientId: text('client_id').notNull(),
    /** Sealed: see lib/identity/access/sign-on/sealed.ts. Only the login of sign-in reads it. */
    clientSecret: text('client_secret').notNull(),
    scopes: text('scopes').array().notNull(),
    /** The claim that says that the issuer has verified the address. */
    verifiedClaim: text('verified_claim').notNull().default('email_verified'),
    /** Roles of those who become members by their first sign-in; null: nobody does. */
    joinRoles: text('join_roles').array(),
    /** What claims give: see lib/identity/access/sign-on/rules.ts. */
    mappings: jsonb('mappings').notNull().default(sql`'[]'::jsonb`),
    /** When issuer or client were set last: what was proven before says nothing of these. */
    changedAt: time('changed_at').notNull().default(sql`now()`),
    offAt: time('off_at'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    // Who comes back from an issuer brings this id, and no customer.
    uniqueIndex('identity_providers_id').on(t.id),
    uniqueIndex('identity_providers_name').on(t.customerId, t.name),
    check('identity_providers_roles', sql`${t.joinRoles} <@ array['it-manager','finance-user','admin']`),
  ],
)

/** Domains of mail addresses whose people sign in at a provider. Before one is proven it counts for nothing. */
export const signOnDomains = pgTable(
  'sign_on_domains',
  {
    customerId: customerId(),
    /** In lower case, as DNS has it. */
    domain: key('domain').notNull(),
    providerId: key('provider_id').notNull(),
    /** What the DNS record has to say. */
    token: text('token').notNull(),
    provenAt: time('proven_at'),
    /** `dns` or `operator`. */
    provenBy: text('proven_by'),
    /** When its record was looked for last; null: not since it was proven. */
    checkedAt: time('checked_at'),
    /** Since when its record is missing; null: it is there, or the operator has confirmed the domain. */
    lostAt: time('lost_at'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.domain] }),
    // Of all customers one has it.
    uniqueIndex('sign_on_domains_proven').on(t.domain).where(sql`${t.provenAt} IS NOT NULL`),
    foreignKey({
      columns: [t.customerId, t.providerId],
      foreignColumns: [identityProviders.customerId, identityProviders.id],
    }),
    check('sign_on_domains_proven_by', sql`${t.provenBy} in ('dns', 'operator')`),
  ],
)

/** Who a member is at a provider, since their first sign-in there. */
export const signOnSubjects = pgTable(
  'sign_on_subjects',
  {
    customerId: customerId(),
    providerId: key('provider_id').notNull(),
    /** The claim `sub`: an issuer gives it to nobody else. */
    subject: key('subject').notNull(),
    memberId: key('member_id').notNull(),
    createdAt: createdAt(),
    lastSignInAt: time('last_sign_in_at').notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.providerId, t.subject] }),
    uniqueIndex('sign_on_subjects_member').on(t.customerId, t.memberId, t.providerId),
    foreignKey({
      columns: [t.customerId, t.providerId],
      foreignColumns: [identityProviders.customerId, identityProviders.id],
    }),
    foreignKey({ columns: [t.customerId, t.memberId], foreignColumns: [members.customerId, members.id] }),
  ],
)

/** Sessions that were opened by a provider, which is told when they end. */
export const signOnSessions = pgTable(
  'sign_on_sessions',
  {
    customerId: customerId(),
    /** As `sessions` has it. */
    digest: key('digest').notNull(),
    providerId: key('provider_id').notNull(),
    /** Sealed: the issuer wants to see it when the session is ended. */
    idToken: text('id_token').notNull(),
    /** What the issuer calls its own session (claim `sid`), where it says so: by this it ends ours. */
    issuerSession: key('issuer_session'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.digest] }),
    foreignKey({
      columns: [t.customerId, t.digest],
      foreignColumns: [sessions.customerId, sessions.digest],
    }).onDelete('cascade'),
    foreignKey({
      columns: [t.customerId, t.providerId],
      foreignColumns: [identityProviders.customerId, identityProviders.id],
    }),
  ],
)

/** Somebody was sent to an issuer, and has not come back. State, nonce and verifier follow from the browser's cookie. */
export const begunSignOns = pgTable(
  'begun_sign_ons',
  {
    /** SHA-256 of the id that the browser keeps as a cookie of its own. */
    digest: key('digest').primaryKey(),
    providerId: key('provider_id').notNull(),
    /** Where it goes on to: a path of ours. */
    returnTo: text('return_to').notNull(),
    /** The member who has to prove anew that it is they; null: somebody signs in. */
    freshMember: key('fresh_member'),
    createdAt: createdAt(),
  },
  (t) => [index('begun_sign_ons_oldest').on(t.createdAt)],
)

/** Logout tokens of issuers that have done their work: none does so twice. Kept for as long as it could. */
export const spentLogoutTokens = pgTable(
  'spent_logout_tokens',
  { digest: key('digest').primaryKey(), at: time('at').notNull().default(sql`now()`) },
  (t) => [index('spent_logout_tokens_oldest').on(t.at)],
)
