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
  /** Since when passwords open no membership of it; null: they do. */
  signOnOnlySince: time('sign_on_only_since'),
  /** Whether each of its members needs a second factor to sign in. */
  demandsFactor: boolean('demands_factor').notNull().default(false),
  /** Whether those of its members who may see no invoices see no price of a license either. */
  hidesPrices: boolean('hides_prices').notNull().default(false),
  createdAt: createdAt(),
  /** From when on nothing of it changes any more; null: it is open. These four are the database owner's to write. */
  closedAt: time('closed_at'),
  /** From when on nobody signs in or reads, and its rows may be removed once they were exported since it was closed. */
  goneAt: time('gone_at'),
  exportedAt: time('exported_at'),
  /** The customer that has what this one had; it keeps its history. */
  mergedInto: key('merged_into'),
})

/** Customers whose rows were removed. Their ids are not given again: signed heads of their histories name them. */
export const formerCustomers = pgTable('former_customers', {
  id: key('id').primaryKey(),
  closedAt: time('closed_at').notNull(),
  removedAt: time('removed_at').notNull().default(sql`now()`),
  /** Where its chain of audit events ended, by which its export can be verified; null: it had none. */
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
    /** In its country's register of companies. */
    registration: text('registration'),
    /** What the customer has carried onto the next invoices that say nothing else; null: nothing. */
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
    /** Who has this address, which a trigger writes; null: written before there were people, until a backfill comes by. */
    personId: key('person_id'),
    name: text('name').notNull(),
    /** Argon2id; opens this membership alone. Null: the person's own password opens it. */
    passwordHash: text('password_hash'),
    roles: text('roles').array().notNull(),
    /** Null: all of the customer's. */
    billingProfiles: text('billing_profiles').array(),
    disabledAt: time('disabled_at'),
    /** Null: they have come. Else nothing opens the membership but its invitation. */
    invitedAt: time('invited_at'),
    /** Factors of their person that were set up before do not count here any more: an Admin has taken them away. */
    factorsResetAt: time('factors_reset_at'),
    /** Its own password was set by whoever was shown its invitation: no factor of its person counts here. */
    factorsApart: boolean('factors_apart').notNull().default(false),
    /** When a session of theirs was ended by somebody; the others say themselves when they were seen. */
    lastSeenAt: time('last_seen_at'),
    /** Null: never, or before this was written down. */
    lastSignInAt: time('last_sign_in_at'),
    /** Name of who added them, as it was then; null: it was not written down. */
    addedBy: text('added_by'),
    /** When a directory took them away for good: disabled, and out of every list until somebody adds them anew. */
    removedAt: time('removed_at'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    uniqueIndex('members_own_email').on(t.customerId, sql`lower(${t.email})`),
    // For the release before, where who signs in was looked up here; a later one drops it.
    index('members_address').on(sql`lower(${t.email})`),
    index('members_person').on(t.customerId, t.personId),
    check('members_roles', sql`${t.roles} <@ array['it-manager','finance-user','admin']`),
    // Each look-up of a caller asks whether they are disabled, and so finds nobody who was taken away.
    check('members_removed', sql`${t.removedAt} IS NULL OR ${t.disabledAt} IS NOT NULL`),
  ],
)

export const apiKeys = pgTable(
  'api_keys',
  {
    customerId: customerId().references(() => customers.id),
    id: key('id').notNull(),
    name: text('name').notNull(),
    /** SHA-256 of the key: it can't be read back. */
    digest: key('digest').notNull(),
    prefix: text('prefix').notNull(),
    lastFour: text('last_four').notNull(),
    roles: text('roles').array().notNull(),
    billingProfiles: text('billing_profiles').array(),
    /** The member who issued it; null: issued on the command line. */
    issuedBy: key('issued_by'),
    /** Whether it outlives its issuer's membership, and is not cut to what the issuer holds. */
    belongsToCustomer: boolean('belongs_to_customer').notNull().default(false),
    /** Networks (`192.0.2.0/24`, `2001:db8::/32`) from which alone it opens anything; null: from anywhere. */
    addresses: text('addresses').array(),
    createdAt: createdAt(),
    expiresAt: time('expires_at'),
    revokedAt: time('revoked_at'),
    /** The key that was made to follow it, since when it ends at `expires_at` for good. */
    replacedBy: key('replaced_by'),
    /** Whether a signed-in member, or the operator, had that one made, and not this key itself; null: not known, or none was. */
    replacedByPerson: boolean('replaced_by_person'),
    /** When its owner was told that it is about to end. */
    endToldAt: time('end_told_at'),
    lastUsedAt: time('last_used_at'),
    lastUsedAddress: text('last_used_address'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    // For the release before, which looks digests up here; a later one drops it.
    index('api_keys_by_digest').on(t.digest).concurrently(),
    foreignKey({ columns: [t.customerId, t.issuedBy], foreignColumns: [members.customerId, members.id] }),
    check('api_keys_roles', sql`${t.roles} <@ array['it-manager','finance-user','admin']`),
  ],
)
