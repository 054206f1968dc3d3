import { sql } from 'drizzle-orm'
import { check, foreignKey, index, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { createdAt, customerId, key, time } from '../columns.ts'
import { customers, members } from '../customers.ts'

/** Credential of a customer's directory. It is valid for SCIM only. */
export const scimTokens = pgTable(
  'scim_tokens',
  {
    customerId: customerId().references(() => customers.id),
    id: key('id').notNull(),
    name: text('name').notNull(),
    /** SHA-256 of the token, which can't be recovered. */
    digest: key('digest').notNull(),
    lastFour: text('last_four').notNull(),
    /** Roles that the directory may assign; it may remove any role. */
    roles: text('roles').array().notNull(),
    createdAt: createdAt(),
    expiresAt: time('expires_at'),
    revokedAt: time('revoked_at'),
    lastUsedAt: time('last_used_at'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    // For the previous release, which looks up digests here; a later one drops it.
    index('scim_tokens_by_digest').on(t.digest).concurrently(),
    check('scim_tokens_roles', sql`${t.roles} <@ array['it-manager','finance-user','admin']`),
  ],
)

/** Directory's attributes of a member that `members` lacks. */
export const scimUsers = pgTable(
  'scim_users',
  {
    customerId: customerId(),
    memberId: key('member_id').notNull(),
    /** Id of the user in the directory. */
    externalId: key('external_id'),
    givenName: text('given_name'),
    familyName: text('family_name'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.memberId] }),
    index('scim_users_external').on(t.customerId, t.externalId),
    // Withdrawing an invitation deletes it completely.
    foreignKey({
      columns: [t.customerId, t.memberId],
      foreignColumns: [members.customerId, members.id],
    }).onDelete('cascade'),
  ],
)

/** Group of a directory, with the roles and permissions of its members. */
export const scimGroups = pgTable(
  'scim_groups',
  {
    customerId: customerId().references(() => customers.id),
    id: key('id').notNull(),
    displayName: text('display_name').notNull(),
    externalId: key('external_id'),
    /** Null: roles are not mapped yet, so the group changes no member's roles. */
    roles: text('roles').array(),
    /** Null: all billing profiles of the customer. */
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
    // Withdrawing an invitation deletes it completely.
    foreignKey({
      columns: [t.customerId, t.memberId],
      foreignColumns: [members.customerId, members.id],
    }).onDelete('cascade'),
  ],
)
