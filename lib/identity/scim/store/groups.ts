import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import type { CustomerId, Role } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scimGroups } from '#lib/platform/db/schema/access/scim.ts'
import type { Comparison } from '../filter.ts'
import type { Mapping } from '../rules.ts'
import type { Page } from './users.ts'

export type GroupFilter = Comparison<'displayName' | 'externalId' | 'id'>
export type GroupRow = Awaited<ReturnType<typeof listGroups>>[number]

const shown = {
  id: scimGroups.id,
  displayName: scimGroups.displayName,
  externalId: scimGroups.externalId,
  roles: sql<Role[] | null>`${scimGroups.roles}`,
  billingProfiles: scimGroups.billingProfiles,
  createdAt: scimGroups.createdAt,
}

/** The customer's groups, in the order in which they were added. */
export function listGroups(
  tx: Transaction,
  customerId: CustomerId,
  filter?: GroupFilter,
  { startIndex, count }: Page = { startIndex: 1, count: 1000 },
) {
  return tx
    .select(shown)
    .from(scimGroups)
    .where(and(eq(scimGroups.customerId, customerId), filter && BY[filter.by](filter.value)))
    .orderBy(asc(scimGroups.createdAt), asc(scimGroups.id))
    .limit(count)
    .offset(startIndex - 1)
}

export async function countGroups(tx: Transaction, customerId: CustomerId, filter?: GroupFilter) {
  const rows = await tx
    .select({ total: sql<number>`count(*)::int` })
    .from(scimGroups)
    .where(and(eq(scimGroups.customerId, customerId), filter && BY[filter.by](filter.value)))
  return rows[0]?.total ?? 0
}

const BY: Record<GroupFilter['by'], (value: string) => SQL> = {
  displayName: (value) => sql`lower(${scimGroups.displayName}) = lower(${value})`,
  externalId: (value) => eq(scimGroups.externalId, value),
  id: (value) => eq(scimGroups.id, value),
}

/**
 * The customer's groups as they stay until the transaction ends: who changes what groups give takes them all, before any
 * member, so that two such changes wait for each other and never in a circle.
 */
export function lockGroups(tx: Transaction, customerId: CustomerId) {
  return tx
    .select(shown)
    .from(scimGroups)
    .where(eq(scimGroups.customerId, customerId))
    .orderBy(asc(scimGroups.id))
    .for('no key update')
}

/** @returns the id; undefined where the customer has a group with this name already */
export async function addGroup(
  tx: Transaction,
  customerId: CustomerId,
  given: Partial<Mapping> & { displayName: string; externalId?: string | null },
): Promise<string | undefined> {
  const rows = await tx
    .insert(scimGroups)
    .values({ customerId, id: randomUUID(), ...arrays(given) })
    .onConflictDoNothing()
    .returning({ id: scimGroups.id })
  return rows[0]?.id
}

export async function setGroup(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  given: Partial<Mapping> & { displayName?: string; externalId?: string | null },
): Promise<void> {
  await tx.update(scimGroups).set(arrays(given)).where(groupOf(customerId, id))
}

function arrays<Given extends Partial<Mapping>>({ roles, billingProfiles, ...rest }: Given) {
  return {
    ...rest,
    ...(roles === undefined ? {} : { roles: roles && [...roles] }),
    ...(billingProfiles === undefined ? {} : { billingProfiles: billingProfiles && [...billingProfiles] }),
  }
}

export async function removeGroup(tx: Transaction, customerId: CustomerId, id: string): Promise<void> {
  await tx.delete(scimGroups).where(groupOf(customerId, id))
}

function groupOf(customerId: CustomerId, id: string) {
  return and(eq(scimGroups.customerId, customerId), eq(scimGroups.id, id))
}
