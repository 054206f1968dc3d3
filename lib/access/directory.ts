import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, asc, eq, sql } from 'drizzle-orm'
import type { Transaction } from '#lib/db/client.ts'
import { apiKeys, billingProfiles, customers, members } from '#lib/db/schema/customers.ts'
import { sessions } from '#lib/db/schema/sign-ins.ts'
import { digestOf, hintsOf } from './api-key.ts'
import { withdrawLinks } from './links/store.ts'
import type { CustomerId, Role } from './rules.ts'
import { endSessions } from './session.ts'

/** Adds the customer with its billing profile `default`, which is named like it. */
export async function addCustomer(
  tx: Transaction,
  customerId: CustomerId,
  given: { name: string; domain: string; contactEmail: string },
): Promise<void> {
  await tx.insert(customers).values({ id: customerId, ...given })
  await tx.insert(billingProfiles).values({ customerId, id: 'default', name: given.name })
}

export type MemberRow = {
  id: string
  email: string
  name: string
  roles: Role[]
  disabledAt: Date | null
  /** Null: they have come. */
  invitedAt: Date | null
  createdAt: Date
}

const memberColumns = {
  id: members.id,
  email: members.email,
  name: members.name,
  roles: sql<Role[]>`${members.roles}`,
  disabledAt: members.disabledAt,
  invitedAt: members.invitedAt,
  createdAt: members.createdAt,
}

/** All members of the customer, by address. */
export function listMembers(tx: Transaction, customerId: CustomerId): Promise<MemberRow[]> {
  const own = eq(members.customerId, customerId)
  return tx
    .select(memberColumns)
    .from(members)
    .where(own)
    .orderBy(asc(sql`lower(${members.email})`))
}

/** The customer's member with this address in any case, locked until the transaction ends. */
export async function readMember(
  tx: Transaction,
  customerId: CustomerId,
  email: string,
): Promise<MemberRow | undefined> {
  const own = and(eq(members.customerId, customerId), sql`lower(${members.email}) = lower(${email})`)
  const rows = await tx.select(memberColumns).from(members).where(own).for('no key update')
  return rows[0]
}

/**
 * Adds a member and returns its id: one who has a password already, or one who is invited, and whom nothing opens the
 * membership but a link. An address that the customer's members have already is 23505.
 */
export async function addMember(
  tx: Transaction,
  customerId: CustomerId,
  given: Pick<MemberRow, 'email' | 'name' | 'roles'> & { billingProfiles?: string[]; passwordHash?: string },
): Promise<string> {
  const id = randomUUID()
  const invitedAt = given.passwordHash === undefined ? sql`now()` : null
  await tx.insert(members).values({ customerId, id, ...given, invitedAt })
  return id
}

/** Sets the roles, which every request reads anew. */
export async function setRoles(tx: Transaction, customerId: CustomerId, memberId: string, roles: Role[]) {
  await tx.update(members).set({ roles }).where(memberOf(customerId, memberId))
}

/** Shuts a member out from the next request on, and ends their sessions and links; or lets them sign in again. */
export async function setDisabled(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  disabled: boolean,
) {
  const disabledAt = disabled ? sql`now()` : null
  await tx.update(members).set({ disabledAt }).where(memberOf(customerId, memberId))
  if (!disabled) return
  await endSessions(tx, customerId, eq(sessions.memberId, memberId))
  await withdrawLinks(tx, customerId, memberId)
}

/** Keeps a new key, of which only the digest is stored, and returns its id. */
export async function addKey(
  tx: Transaction,
  customerId: CustomerId,
  apiKey: string,
  given: { name: string; roles: Role[]; validHours: number | undefined },
): Promise<string> {
  const id = randomUUID()
  const { name, roles, validHours } = given
  const expiresAt = validHours === undefined ? null : sql`now() + make_interval(hours => ${validHours}::int)`
  const secret = { digest: digestOf(apiKey), ...hintsOf(apiKey) }
  await tx.insert(apiKeys).values({ customerId, id, name, roles, expiresAt, ...secret })
  return id
}

/** All keys of the customer, the newest first: what may be seen of them. */
export function listKeys(tx: Transaction, customerId: CustomerId) {
  return tx
    .select({
      id: apiKeys.id,
      name: apiKeys.name,
      prefix: apiKeys.prefix,
      lastFour: apiKeys.lastFour,
      roles: sql<Role[]>`${apiKeys.roles}`,
      createdAt: apiKeys.createdAt,
      expiresAt: apiKeys.expiresAt,
      revokedAt: apiKeys.revokedAt,
      lastUsedAt: apiKeys.lastUsedAt,
    })
    .from(apiKeys)
    .where(eq(apiKeys.customerId, customerId))
    .orderBy(sql`${apiKeys.createdAt} DESC, ${apiKeys.id}`)
}

/** Revokes a key from the next request on: `already` where it was, undefined where there is none. */
export async function revokeKey(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
): Promise<'revoked' | 'already' | undefined> {
  const own = and(eq(apiKeys.customerId, customerId), eq(apiKeys.id, id))
  const found = await tx.select({ revokedAt: apiKeys.revokedAt }).from(apiKeys).where(own).for('update')
  if (!found[0]) return undefined
  if (found[0].revokedAt) return 'already'
  await tx.update(apiKeys).set({ revokedAt: sql`now()` }).where(own)
  return 'revoked'
}

function memberOf(customerId: CustomerId, memberId: string) {
  return and(eq(members.customerId, customerId), eq(members.id, memberId))
}
