import 'server-only'
import { and, asc, eq, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { CustomerId, Role } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { members } from '#lib/platform/db/schema/customers.ts'
import type { Filter } from '#lib/platform/lists/filter.ts'
import { byCreation, pageByKey } from '#lib/platform/lists/keyset.ts'
import type { Cursor } from '#lib/platform/lists/page-token.ts'
import { hasPart } from '#lib/platform/lists/search.ts'
import type { MemberState } from '../rules.ts'

export type MemberSelection = {
  filter?: Filter<'state' | 'role'> | undefined
  search?: string | undefined
}
export type MemberRow = Awaited<ReturnType<typeof listMembers>>[number]

const { columns, micros } = byCreation(members.createdAt, members.id)
// Of the invitation that is open; a new one withdraws the one before. Named as a whole: in a statement on one table, drizzle
// writes its columns without their table.
const ofInvitation = (column: string) =>
  sql`(SELECT ${sql.raw(`l.${column}`)} FROM account_links l
    WHERE l.customer_id = members.customer_id AND l.member_id = members.id AND l.kind = 'invitation'
      AND l.used_at IS NULL AND l.withdrawn_at IS NULL ORDER BY l.expires_at DESC LIMIT 1)`
const shown = {
  id: members.id,
  email: members.email,
  name: members.name,
  roles: sql<Role[]>`${members.roles}`,
  billingProfiles: members.billingProfiles,
  disabledAt: members.disabledAt,
  invitedAt: members.invitedAt,
  inviteExpiresAt: ofInvitation('expires_at').mapWith(members.createdAt) as SQL<Date | null>,
  /** Null: it was not to be mailed. */
  inviteMail: ofInvitation('state') as SQL<string | null>,
  createdAt: members.createdAt,
  addedBy: members.addedBy,
  lastSignInAt: members.lastSignInAt,
  // Of those that count here, as lib/identity/access/factors/rules.ts says.
  secondFactors: sql<('totp' | 'passkey')[]>`ARRAY(SELECT DISTINCT f.kind FROM second_factors f
    WHERE f.person_id = members.person_id AND (f.reach = members.customer_id OR f.reach IS NULL
      AND NOT members.factors_apart AND (members.factors_reset_at IS NULL OR f.created_at > members.factors_reset_at)) ORDER BY 1 DESC)`,
  micros,
}

/** The sort key of a member, for page tokens. */
export function keyOfMember({ micros, id }: Pick<MemberRow, 'micros' | 'id'>): string[] {
  return [micros, id]
}

/** Members in reading direction from the cursor on: newest first, or oldest first when it leads back. */
export async function listMembers(
  tx: Transaction,
  customerId: CustomerId,
  { filter = {}, search }: MemberSelection,
  limit: number,
  cursor?: Cursor,
) {
  const { beyond, order } = pageByKey(columns, cursor)
  const selected = [
    filter.state && or(...filter.state.map((state) => STATES[state as MemberState])),
    filter.role && sql`${members.roles} && ${sql.param(filter.role)}::text[]`,
    search ? or(hasPart(members.name, search), hasPart(members.email, search)) : undefined,
  ]
  return tx
    .select(shown)
    .from(members)
    .where(and(there(customerId), ...selected, beyond))
    .orderBy(order)
    .limit(limit)
}

/** All members of the customer, by address, as the operator's command lists them. */
export function allMembers(tx: Transaction, customerId: CustomerId) {
  const { email, name, billingProfiles, invitedAt, disabledAt, lastSignInAt, id } = shown
  return tx
    .select({ email, name, roles: shown.roles, billingProfiles, invitedAt, disabledAt, lastSignInAt, id })
    .from(members)
    .where(there(customerId))
    .orderBy(asc(sql`lower(${members.email})`))
}

const STATES: Record<MemberState, SQL | undefined> = {
  invited: and(isNull(members.disabledAt), isNotNull(members.invitedAt)),
  active: and(isNull(members.disabledAt), isNull(members.invitedAt)),
  disabled: isNotNull(members.disabledAt),
}

export async function readMember(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
): Promise<MemberRow | undefined> {
  const rows = await tx
    .select(shown)
    .from(members)
    .where(and(there(customerId), eq(members.id, memberId)))
  return rows[0]
}

/** The id of the customer's member with this address, in any case of letters. */
export async function memberWith(
  tx: Transaction,
  customerId: CustomerId,
  email: string,
): Promise<string | undefined> {
  const own = and(there(customerId), sql`lower(${members.email}) = lower(${email})`)
  const rows = await tx.select({ id: members.id }).from(members).where(own)
  return rows[0]?.id
}

/**
 * A member, and how many other Admins can sign in. All of them stay as they are until the transaction ends: they are
 * locked in the order of their ids, so that two Admins who disable each other at one moment wait for each other, and the
 * second one finds that nobody else is left.
 */
export async function lockMember(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
): Promise<{ member: MemberRow; otherAdmins: number } | undefined> {
  const rows = await lockMembers(tx, customerId, [memberId])
  const member = rows.find(({ id }) => id === memberId)
  return member && { member, otherAdmins: rows.length - 1 }
}

/** Members and all Admins who can sign in, locked as `lockMember` does: whoever changes several takes them at once. */
export async function lockMembers(tx: Transaction, customerId: CustomerId, memberIds: readonly string[]) {
  const admins = and(sql`${members.roles} @> '{admin}'`, STATES.active)
  const named = sql`${members.id} = ANY(${sql.param([...memberIds])}::text[])`
  return tx
    .select(shown)
    .from(members)
    .where(and(there(customerId), or(named, admins)))
    .orderBy(asc(members.id))
    .for('no key update')
}

/** In a statement: the customer's members, without those whom a directory took away. */
export function there(customerId: CustomerId) {
  return and(eq(members.customerId, customerId), isNull(members.removedAt))
}

/** In a statement: the row of this member. */
export function memberOf(customerId: CustomerId, memberId: string) {
  return and(eq(members.customerId, customerId), eq(members.id, memberId))
}
