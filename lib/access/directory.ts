import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, asc, eq, sql } from 'drizzle-orm'
import type { Transaction } from '#lib/db/client.ts'
import { billingProfiles, customers, members } from '#lib/db/schema/customers.ts'
import { sessions } from '#lib/db/schema/sign-ins.ts'
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
  createdAt: Date
}

const memberColumns = {
  id: members.id,
  email: members.email,
  name: members.name,
  roles: sql<Role[]>`${members.roles}`,
  disabledAt: members.disabledAt,
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

/** Adds a member and returns its id. An address that any customer's member has is 23505. */
export async function addMember(
  tx: Transaction,
  customerId: CustomerId,
  given: { email: string; name: string; roles: Role[]; passwordHash: string },
): Promise<string> {
  const id = randomUUID()
  await tx.insert(members).values({ customerId, id, ...given })
  return id
}

/** Sets the roles, which every request reads anew. */
export async function setRoles(tx: Transaction, customerId: CustomerId, memberId: string, roles: Role[]) {
  await tx.update(members).set({ roles }).where(memberOf(customerId, memberId))
}

/** Shuts a member out from the next request on, and ends their sessions; or lets them sign in again. */
export async function setDisabled(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  disabled: boolean,
) {
  const disabledAt = disabled ? sql`now()` : null
  await tx.update(members).set({ disabledAt }).where(memberOf(customerId, memberId))
  if (disabled) await endSessions(tx, customerId, eq(sessions.memberId, memberId))
}

function memberOf(customerId: CustomerId, memberId: string) {
  return and(eq(members.customerId, customerId), eq(members.id, memberId))
}
