import 'server-only'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { listBillingProfiles } from '#lib/identity/customers/billing-profiles.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import { ROLES } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { members } from '#lib/platform/db/schema/customers.ts'
import { type MemberAccess, NOTHING } from './rules.ts'

/**
 * Returns the access that a caller may grant. A caller carries the visible billing profiles; whether these are all of
 * the customer's, or a limited selection, is stored with the member. A key may use its access, but grants nothing.
 */
export async function accessOf(tx: Transaction, caller: Caller): Promise<MemberAccess> {
  const { via, roles, billingProfiles } = caller
  if (via === 'key') return NOTHING
  if (via === 'operator') return { roles: ROLES, billingProfiles: null }
  // A directory decides the members of a group; its billing profiles were decided by the Admin who mapped it.
  if (via === 'scim') return { roles, billingProfiles: null }
  return { roles, billingProfiles: (await isLimited(tx, caller)) ? billingProfiles : null }
}

async function isLimited(tx: Transaction, { customerId, id }: Caller): Promise<boolean> {
  const rows = await tx
    .select({ profiles: members.billingProfiles })
    .from(members)
    .where(and(eq(members.customerId, customerId), eq(members.id, id)))
  return rows[0]?.profiles !== null
}

/**
 * Returns the access beyond which the caller changes no member; undefined: the operator and directories change any
 * member. A key has the access with which it reads, although it grants none of it.
 */
export async function limitOf(tx: Transaction, caller: Caller): Promise<MemberAccess | undefined> {
  const { via, customerId, roles, billingProfiles } = caller
  if (via === 'operator' || via === 'scim') return undefined
  if (via === 'session') return accessOf(tx, caller)
  const profiles = await listBillingProfiles(tx, customerId)
  const seesAll = profiles.every(({ id }) => billingProfiles.includes(id))
  return { roles, billingProfiles: seesAll ? null : billingProfiles }
}

/**
 * Checks that the caller sees all billing profiles, for changes that concern the whole company. Where no Admin sees all
 * of them, which older releases allowed, limited Admins keep their rights.
 * @param change subject of the error message: "To demand second factors"
 * @throws Problem `permission_denied`
 */
export async function checkSeesAll(tx: Transaction, caller: Caller, change: string): Promise<void> {
  const limit = await limitOf(tx, caller)
  if (!limit || limit.billingProfiles === null || !(await hasFullAdmin(tx, caller.customerId))) return
  throw new Problem('permission_denied', `${change} takes an Admin who sees all billing profiles.`)
}

/** Returns whether the customer has an Admin who can sign in and sees all billing profiles. */
export async function hasFullAdmin(tx: Transaction, customerId: CustomerId): Promise<boolean> {
  const { roles, billingProfiles, disabledAt, invitedAt, removedAt } = members
  const rows = await tx
    .select({ id: members.id })
    .from(members)
    .where(
      and(
        eq(members.customerId, customerId),
        sql`${roles} @> '{admin}'`,
        isNull(billingProfiles),
        isNull(disabledAt),
        isNull(invitedAt),
        isNull(removedAt),
      ),
    )
    .limit(1)
  return rows.length > 0
}
