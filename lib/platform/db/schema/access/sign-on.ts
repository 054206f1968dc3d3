import { sql } from 'drizzle-orm'
import { check, foreignKey, index, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { createdAt, customerId, key, time } from '../columns.ts'
import { customers, members } from '../customers.ts'
import { sessions } from './sign-ins.ts'

/** OpenID Connect issuer for the sign-in of a customer's members, and its configuration. */
export const identityProviders = pgTable(
  'identity_providers',
  {
    customerId: customerId().references(() => customers.id),
    /** Random id: part of the redirect URI, so that each issuer has its own (against mix-up attacks). */
    id: key('id').notNull().default(sql`gen_random_uuid()::text`),
    /** Name in the operator's commands. */
    name: key('name').notNull(),
    issuer: key('issuer').notNull(),
    clientId: text('client_id').notNull(),
    /** Sealed: see lib/identity/access/sign-on/sealed.ts. Only the login of sign-in reads it. */
    clientSecret: text('client_secret').notNull(),
    scopes: text('scopes').array().notNull(),
    /** Claim by which the issuer asserts that the address is verified. */
    verifiedClaim: text('verified_claim').notNull().default('email_verified'),
    /** Roles of members created by their first sign-in; null: none are created. */
    joinRoles: text('join_roles').array(),
    /** Mapping of claims to roles: see lib/identity/access/sign-on/rules.ts. */
    mappings: jsonb('mappings').notNull().default(sql`'[]'::jsonb`),
    /** Last change of issuer or client: earlier sign-ins do not prove that these work. */
    changedAt: time('changed_at').notNull().default(sql`now()`),
    offAt: time('off_at'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    // The redirect from an issuer contains this id, and no customer.
    uniqueIndex('identity_providers_id').on(t.id),
    uniqueIndex('identity_providers_name').on(t.customerId, t.name),
    check('identity_providers_roles', sql`${t.joinRoles} <@ array['it-manager','finance-user','admin']`),
  ],
)

/** Domains of mail addresses whose members sign in at a provider. An unverified domain has no effect. */
export const signOnDomains = pgTable(
  'sign_on_domains',
  {
    customerId: customerId(),
    /** Lower case, as in DNS. */
    domain: key('domain').notNull(),
    providerId: key('provider_id').notNull(),
    /** Expected content of the DNS record. */
    token: text('token').notNull(),
    provenAt: time('proven_at'),
    /** Method of verification: `dns` or `operator`. */
    provenBy: text('proven_by'),
    /** Last check of the record; null: none since the domain was verified. */
    checkedAt: time('checked_at'),
    /** Time since which its record is missing; null: present, or confirmed by the operator. */
    lostAt: time('lost_at'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.domain] }),
    // A domain belongs to one customer.
    uniqueIndex('sign_on_domains_proven').on(t.domain).where(sql`${t.provenAt} IS NOT NULL`),
    foreignKey({
      columns: [t.customerId, t.providerId],
      foreignColumns: [identityProviders.customerId, identityProviders.id],
    }),
    check('sign_on_domains_proven_by', sql`${t.provenBy} in ('dns', 'operator')`),
  ],
)

/** Subject of a member at a provider, recorded at the first sign-in. */
export const signOnSubjects = pgTable(
  'sign_on_subjects',
  {
    customerId: customerId(),
    providerId: key('provider_id').notNull(),
    /** Claim `sub`, unique at its issuer. */
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

/** Sessions opened through a provider, which is notified of their end. */
export const signOnSessions = pgTable(
  'sign_on_sessions',
  {
    customerId: customerId(),
    /** Digest as in `sessions`. */
    digest: key('digest').notNull(),
    providerId: key('provider_id').notNull(),
    /** Sealed ID token: the issuer requires it when the session is ended. */
    idToken: text('id_token').notNull(),
    /** Issuer's session (claim `sid`), if it sends one: its back-channel logout ends ours by this id. */
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

/**
 * Sign-on that was redirected to an issuer and has not returned. State, nonce and PKCE verifier are derived from the
 * browser's cookie.
 */
export const begunSignOns = pgTable(
  'begun_sign_ons',
  {
    /** SHA-256 of the id in the browser's cookie. */
    digest: key('digest').primaryKey(),
    providerId: key('provider_id').notNull(),
    /** Local path to open afterwards. */
    returnTo: text('return_to').notNull(),
    /** Member who has to re-authenticate; null for a sign-in. */
    freshMember: key('fresh_member'),
    createdAt: createdAt(),
  },
  (t) => [index('begun_sign_ons_oldest').on(t.createdAt)],
)

/** Logout tokens that were used, against replay. Stored until they expire. */
export const spentLogoutTokens = pgTable(
  'spent_logout_tokens',
  { digest: key('digest').primaryKey(), at: time('at').notNull().default(sql`now()`) },
  (t) => [index('spent_logout_tokens_oldest').on(t.at)],
)
