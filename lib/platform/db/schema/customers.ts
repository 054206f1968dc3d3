import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { bytea, createdAt, customerId, key, localityColumns, time } from './columns.ts'

export const customers = pgTable('customers', {
  id: key('id').primaryKey(),
  name: text('name').notNull(),
  domain: text('domain').notNull().unique(),
  contactEmail: text('contact_email').notNull(),
  /** Time since which passwords no longer open memberships of the customer; null: they do. */
  signOnOnlySince: time('sign_on_only_since'),
  /** Whether each member needs a second factor to sign in. */
  demandsFactor: boolean('demands_factor').notNull().default(false),
  /** Whether license prices are hidden from members without access to invoices. */
  hidesPrices: boolean('hides_prices').notNull().default(false),
  createdAt: createdAt(),
  /**
   * Time from which the customer is read-only; null: open. These four columns are written by the database owner only.
   */
  closedAt: time('closed_at'),
  /**
   * Time from which sign-ins and reads are refused, and the rows may be removed if they were exported after the
   * closing.
   */
  goneAt: time('gone_at'),
  exportedAt: time('exported_at'),
  /** Customer into which this one was merged; its history stays here. */
  mergedInto: key('merged_into'),
})

/** Customers whose rows were removed. Their ids are not reused: signed heads of their histories contain them. */
export const formerCustomers = pgTable('former_customers', {
  id: key('id').primaryKey(),
  closedAt: time('closed_at').notNull(),
  removedAt: time('removed_at').notNull().default(sql`now()`),
  /** Last place in its chain of audit events, by which its export can be verified; null: it had no events. */
  chainSeq: bigint('chain_seq', { mode: 'number' }),
  chainDigest: bytea('chain_digest'),
})

export const billingProfiles = pgTable(
  'billing_profiles',
  {
    customerId: customerId().references(() => customers.id),
    id: key('id').notNull(),
    name: text('name').notNull(),
    address: text('address'),
    ...localityColumns(),
    taxId: text('tax_id'),
    /** Registration number in the country's register of companies. */
    registration: text('registration'),
    /** Purchase order that the customer wants on later invoices without a purchase order; null: none. */
    purchaseOrder: text('purchase_order'),
    buyerReference: text('buyer_reference'),
    costCenter: text('cost_center'),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.customerId, t.id] })],
)

export const members = pgTable(
  'members',
  {
    customerId: customerId().references(() => customers.id),
    id: key('id').notNull(),
    email: text('email').notNull(),
    /**
     * Person with this address, maintained by a trigger; null: written before `people` existed and not backfilled yet.
     */
    personId: key('person_id'),
    name: text('name').notNull(),
    /** Argon2id hash for this membership only. Null: the person's password opens it. */
    passwordHash: text('password_hash'),
    roles: text('roles').array().notNull(),
    /** Null: all billing profiles of the customer. */
    billingProfiles: text('billing_profiles').array(),
    disabledAt: time('disabled_at'),
    /** Time of the invitation, which is the only way into the membership until it is accepted; null: accepted. */
    invitedAt: time('invited_at'),
    /** Time of an Admin's reset: factors that the person set up before do not count here. */
    factorsResetAt: time('factors_reset_at'),
    /**
     * Its password was set through an invitation shown to its creator: the person's factors do not count for this
     * membership.
     */
    factorsApart: boolean('factors_apart').notNull().default(false),
    /** Last activity in sessions that have ended; live sessions have their own column. */
    lastSeenAt: time('last_seen_at'),
    /** Null: never, or before this was recorded. */
    lastSignInAt: time('last_sign_in_at'),
    /** Name of the member who added them, at the time; null: not recorded. */
    addedBy: text('added_by'),
    /** Time at which a directory removed the member: disabled and unlisted until the member is added again. */
    removedAt: time('removed_at'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    uniqueIndex('members_own_email').on(t.customerId, sql`lower(${t.email})`),
    // For the previous release, which looks up sign-ins here; a later one drops it.
    index('members_address').on(sql`lower(${t.email})`),
    index('members_person').on(t.customerId, t.personId),
    check('members_roles', sql`${t.roles} <@ array['it-manager','finance-user','admin']`),
    // Look-ups of callers check `disabled_at` only, and so exclude removed members.
    check('members_removed', sql`${t.removedAt} IS NULL OR ${t.disabledAt} IS NOT NULL`),
  ],
)

export const apiKeys = pgTable(
  'api_keys',
  {
    customerId: customerId().references(() => customers.id),
    id: key('id').notNull(),
    name: text('name').notNull(),
    /** SHA-256 of the key, which can't be recovered. */
    digest: key('digest').notNull(),
    prefix: text('prefix').notNull(),
    lastFour: text('last_four').notNull(),
    roles: text('roles').array().notNull(),
    billingProfiles: text('billing_profiles').array(),
    /** Member who issued the key; null: issued on the command line. */
    issuedBy: key('issued_by'),
    /** Whether the key survives its issuer's membership, and is not limited to the issuer's roles. */
    belongsToCustomer: boolean('belongs_to_customer').notNull().default(false),
    /** Networks (`192.0.2.0/24`, `2001:db8::/32`) from which the key may be used; null: any. */
    addresses: text('addresses').array(),
    createdAt: createdAt(),
    expiresAt: time('expires_at'),
    revokedAt: time('revoked_at'),
    /** Replacement of the key, which makes the end at `expires_at` final. */
    replacedBy: key('replaced_by'),
    /**
     * Whether the replacement was created by a signed-in member or the operator instead of this key; null: unknown, or
     * not replaced.
     */
    replacedByPerson: boolean('replaced_by_person'),
    /** Time at which its owner was notified of the expiry. */
    endToldAt: time('end_told_at'),
    lastUsedAt: time('last_used_at'),
    lastUsedAddress: text('last_used_address'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    // For the previous release, which looks up digests here; a later one drops it.
    index('api_keys_by_digest').on(t.digest).concurrently(),
    foreignKey({ columns: [t.customerId, t.issuedBy], foreignColumns: [members.customerId, members.id] }),
    check('api_keys_roles', sql`${t.roles} <@ array['it-manager','finance-user','admin']`),
  ],
)
