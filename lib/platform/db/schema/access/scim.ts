import { sql } from 'drizzle-orm'
import { check, foreignKey, index, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { createdAt, customerId, key, time } from '../columns.ts'
import { customers, members } from '../customers.ts'

/** What a customer's directory proves itself by. It opens SCIM and nothing else. */
export const scimTokens = pgTable(
  'scim_tokens',
  {
    customerId: customerId().references(() => customers.id),
    id: key('id').notNull(),
    name: text('name').notNull(),
    /** SHA-256 of the token: it can't be read back. */
    digest: key('digest').notNull(),
    lastFour: text('last_four').notNull(),
    /** What it may give to members; it takes from anybody. */
    roles: text('roles').array().notNull(),
    createdAt: createdAt(),
    expiresAt: time('expires_at'),
    revokedAt: time('revoked_at'),
    lastUsedAt: time('last_used_at'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    // For the release before, which looks digests up here; a later one drops it.
    index('scim_tokens_by_digest').on(t.digest).concurrently(),
    check('scim_tokens_roles', sql`${t.roles} <@ array['it-manager','finance-user','admin']`),
  ],
)

/** What a directory says of a member beside what members have. */
export const scimUsers = pgTable(
  'scim_users',
  {
    customerId: customerId(),
    memberId: key('member_id').notNull(),
    /** The directory's own name for them. */
    externalId: key('external_id'),
    givenName: text('given_name'),
    familyName: text('family_name'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.memberId] }),
    index('scim_users_external').on(t.customerId, t.externalId),
    // Withdrawing an invitation leaves nothing of it.
    foreignKey({
      columns: [t.customerId, t.memberId],
      foreignColumns: [members.customerId, members.id],
    }).onDelete('cascade'),
  ],
)

/** A group of a directory, and what it gives to its members. */
export const scimGroups = pgTable(
  'scim_groups',
  {
    customerId: customerId().references(() => customers.id),
    id: key('id').notNull(),
    displayName: text('display_name').notNull(),
    externalId: key('external_id'),
    /** Null: nobody has said yet what the group gives, so that it gives and takes nothing. */
    roles: text('roles').array(),
    /** Null: all of the customer's. */
    billingProfiles: text('billing_profiles').array(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    uniqueIndex('scim_groups_name').on(t.customerId, sql`lower(${t.displayName})`),
    check('scim_groups_roles', sql`${t.roles} <@ array['it-manager','finance-user','admin']`),
  ],
)

export const scimGroupMembers = pgTable(
  'scim_group_members',
  {
    customerId: customerId(),
    groupId: key('group_id').notNull(),
    memberId: key('member_id').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.groupId, t.memberId] }),
    index('scim_group_members_member').on(t.customerId, t.memberId),
    foreignKey({
      columns: [t.customerId, t.groupId],
      foreignColumns: [scimGroups.customerId, scimGroups.id],
    }).onDelete('cascade'),
    // Withdrawing an invitation leaves nothing of it.
    foreignKey({
      columns: [t.customerId, t.memberId],
      foreignColumns: [members.customerId, members.id],
    }).onDelete('cascade'),
  ],
)
