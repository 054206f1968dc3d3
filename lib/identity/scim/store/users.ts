import 'server-only'
import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import { there } from '#lib/identity/members/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scimUsers } from '#lib/platform/db/schema/access/scim.ts'
import { members } from '#lib/platform/db/schema/customers.ts'
import type { Comparison } from '../filter.ts'

export type UserFilter = Comparison<'userName' | 'externalId' | 'id'>
export type Page = { startIndex: number; count: number }
export type UserRow = Awaited<ReturnType<typeof rows>>[number]

/** One page of the customer's members, in the order in which they were added, and how many there are. */
export async function listUsers(
  tx: Transaction,
  customerId: CustomerId,
  filter: UserFilter | undefined,
  { startIndex, count }: Page,
) {
  const which = filter && BY[filter.by](filter.value)
  const [{ total } = { total: 0 }] = await tx
    .select({ total: sql<number>`count(*)::int` })
    .from(members)
    .leftJoin(scimUsers, own(customerId))
    .where(and(there(customerId), which))
  const found = count === 0 ? [] : await rows(tx, customerId, which, { startIndex, count })
  return { total, found }
}

export async function readUser(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
): Promise<UserRow | undefined> {
  const found = await rows(tx, customerId, eq(members.id, id), { startIndex: 1, count: 1 })
  return found[0]
}

/** Keeps what a directory says of a member beside what members have. */
export async function setUser(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  given: { externalId: string | null; givenName: string | null; familyName: string | null },
): Promise<void> {
  await tx
    .insert(scimUsers)
    .values({ customerId, memberId, ...given })
    .onConflictDoUpdate({
      target: [scimUsers.customerId, scimUsers.memberId],
      set: given,
      setWhere: eq(scimUsers.customerId, customerId),
    })
}

const BY: Record<UserFilter['by'], (value: string) => SQL> = {
  userName: (value) => sql`lower(${members.email}) = lower(${value})`,
  externalId: (value) => eq(scimUsers.externalId, value),
  id: (value) => eq(members.id, value),
}

/** What a directory says of a member, by the member. */
function own(customerId: CustomerId) {
  return and(eq(scimUsers.customerId, customerId), eq(scimUsers.memberId, members.id))
}

// Their groups by a statement of its own: members and groups may lie on different machines, and each is asked for few rows.
async function rows(
  tx: Transaction,
  customerId: CustomerId,
  which: SQL | undefined,
  { startIndex, count }: Page,
) {
  const found = await tx
    .select({
      id: members.id,
      email: members.email,
      name: members.name,
      disabledAt: members.disabledAt,
      createdAt: members.createdAt,
      externalId: scimUsers.externalId,
      givenName: scimUsers.givenName,
      familyName: scimUsers.familyName,
    })
    .from(members)
    .leftJoin(scimUsers, own(customerId))
    .where(and(there(customerId), which))
    .orderBy(asc(members.createdAt), asc(members.id))
    .limit(count)
    .offset(startIndex - 1)
  const groups = await groupsOf(
    tx,
    customerId,
    found.map(({ id }) => id),
  )
  return found.map((user) => ({ ...user, groups: groups.get(user.id) ?? [] }))
}

/** The groups that these members are in, of each in the order of their ids. */
async function groupsOf(tx: Transaction, customerId: CustomerId, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, { value: string; display: string }[]>()
  const { rows: theirs } = await tx.execute<{ member: string; value: string; display: string }>(sql`
    SELECT gm.member_id AS member, g.id AS value, g.display_name AS display
    FROM scim_group_members gm JOIN scim_groups g ON g.customer_id = ${customerId} AND g.id = gm.group_id
    WHERE gm.customer_id = ${customerId} AND gm.member_id = ANY (${sql.param([...ids])}::text[]) ORDER BY g.id`)
  const grouped = Map.groupBy(theirs, ({ member }) => member)
  return new Map(
    [...grouped].map(([id, its]) => [id, its.map(({ value, display }) => ({ value, display }))] as const),
  )
}
