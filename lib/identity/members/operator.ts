import 'server-only'
import { randomUUID } from 'node:crypto'
import { asc, sql } from 'drizzle-orm'
import * as factors from '#lib/identity/second-factors/operations.ts'
import type { Input } from '#lib/platform/api/contract.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, CustomerId, Role } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { members } from '#lib/platform/db/schema/customers.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import type { changeMember as contract, MemberLink } from './contract.ts'
import { invite } from './invite.ts'
import { linkFor } from './link.ts'
import * as operations from './operations.ts'
import { listedColumns, lockMember, memberWith, there } from './store.ts'

// Changes by the operator's command line, which names members by their email addresses.

type NewMember = { email: string; name: string; roles: Role[]; billingProfiles?: string[] | undefined }

/** Adds a member, who joins by the link. @throws Problem as `invite` does */
export async function inviteMember(
  operator: Caller,
  member: NewMember,
  isMailed: boolean,
): Promise<MemberLink> {
  const how = { requestId: randomUUID(), isMailed }
  return (await scope(operator, (tx) => invite(tx, operator, member, how))).link
}

/** Makes a new link for a member: an invitation, or for a new password. @throws Problem as `linkFor` does */
export function makeMemberLink(operator: Caller, email: string, isMailed: boolean): Promise<MemberLink> {
  const how = { requestId: randomUUID(), isMailed }
  return scope(operator, async (tx) => {
    const member = await lockMember(tx, operator.customerId, await idOf(tx, operator, email))
    if (!member) throw new Problem('not_found')
    return linkFor(tx, operator, member.member, how)
  })
}

/** Runs the operation of screen and API with the operator as caller. @returns the member after the change */
export async function changeMember(operator: Caller, email: string, body: Input<typeof contract>['body']) {
  const id = await readScope(operator, (tx) => idOf(tx, operator, email))
  const input = { params: { member_id: id }, query: {}, body }
  return (await operations.changeMember(operator, input, { requestId: randomUUID() })).body
}

/** Removes a member's second factors, wherever they are a member. @throws Problem `not_found` */
export async function resetFactors(operator: Caller, email: string): Promise<void> {
  const id = await readScope(operator, (tx) => idOf(tx, operator, email))
  const input = { params: { member_id: id }, query: {}, body: {} }
  await factors.resetFactors(operator, input, { requestId: randomUUID() })
}

/** Lists all members of the customer by address. */
export function listMembers(tx: Transaction, customerId: CustomerId) {
  const { email, name, billingProfiles, invitedAt, disabledAt, lastSignInAt, id } = listedColumns
  return tx
    .select({
      email,
      name,
      roles: listedColumns.roles,
      billingProfiles,
      invitedAt,
      disabledAt,
      lastSignInAt,
      id,
    })
    .from(members)
    .where(there(customerId))
    .orderBy(asc(sql`lower(${members.email})`))
}

async function idOf(tx: Transaction, { customerId, customerName }: Caller, email: string): Promise<string> {
  const id = await memberWith(tx, customerId, email.trim())
  if (id === undefined)
    throw new Problem('not_found', `${customerName} has no member with the address ${email}.`)
  return id
}
