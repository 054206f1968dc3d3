import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, eq, or, sql } from 'drizzle-orm'
import { errorCode } from '#lib/platform/api/error-mapper.ts'
import { noteAddress } from '#lib/platform/caller/credentials.ts'
import type { CustomerId, Role } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { members } from '#lib/platform/db/schema/customers.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { recordAudit } from '#lib/platform/history/audit.ts'
import { noteCaller, requestContext } from '#lib/platform/runtime/log.ts'
import { isLastBySignOn } from '../../single-sign-on/sign-in-methods.ts'
import { acceptMembership } from '../passwords/set.ts'
import { lockNewcomer, lockPerson } from '../people/change.ts'
import type { Provider } from './find-provider.ts'
import { type Claims, nameBy, profilesBy, rolesBy } from './rules.ts'
import {
  bindSubject,
  lockProvider,
  memberOfAddress,
  memberOfSubject,
  type SignOnMember,
  seeSubject,
} from './subjects.ts'

/** Identity verified by an issuer, with a verified address of a proven domain. */
export type VerifiedIdentity = { subject: string; email: string; claims: Claims }

/** Reason why a verified identity may not enter. */
export type BindDenial = 'off' | 'closed' | 'other-subject' | 'disabled' | 'no-member' | 'no-role'

/** Id of the bound member, or the denial; `memberId` of a denial: the member with that address. */
export type Bound = { memberId: string; denial?: undefined } | { denial: BindDenial; memberId?: string }

/**
 * Finds the member behind a subject: the member that is bound to it, else the member with the address, who is bound to
 * it now, else a new member, where the customer allows that. Applies roles and billing profiles of the claims, and
 * records the audit events in the same transaction. At a closed customer, members who were bound before can still enter
 * to read; nothing is applied.
 */
export async function bindMember(provider: Provider, who: VerifiedIdentity): Promise<Bound> {
  const { customerId } = provider
  try {
    return await scope({ customerId }, (tx) => bind(tx, provider, who, false))
  } catch (error) {
    if (errorCode(error) !== CLOSED) throw error
    return scope({ customerId }, (tx) => bind(tx, provider, who, true), { evenIfClosed: true })
  }
}

/** SQLSTATE of a write at a closed customer: see lib/platform/db/scope.ts. */
const CLOSED = 'CC001'

async function bind(
  tx: Transaction,
  provider: Provider,
  who: VerifiedIdentity,
  isClosed: boolean,
): Promise<Bound> {
  const { customerId, id: providerId } = provider
  const subjectRef = { providerId, subject: who.subject }
  if (!(await lockProvider(tx, customerId, providerId))) return { denial: 'off' }
  const boundMember = await memberOfSubject(tx, customerId, subjectRef)
  const existingMember =
    boundMember ?? (await memberOfAddress(tx, customerId, { providerId, email: who.email }))
  const denial = denialOf(provider, who, existingMember, isClosed)
  if (denial) return { denial, ...(existingMember ? { memberId: existingMember.id } : {}) }
  const member = existingMember ?? (await join(tx, provider, who))
  noteCaller({ id: member.id, customerId })
  // The person is locked before the member, in the common lock order.
  if (!existingMember || existingMember.isInvited) await lockNewcomer(tx, customerId, member)
  else await lockPerson(tx, customerId, member.id, 'to enter')
  if (boundMember) await seeSubject(tx, customerId, subjectRef)
  else {
    await bindSubject(tx, customerId, { ...subjectRef, memberId: member.id })
    const details = { issuer: provider.issuer, subject: who.subject }
    await record(tx, provider, member, { action: 'sign-on.bound', details })
  }
  if (member.isInvited) {
    await acceptMembership(tx, customerId, member.id)
    await record(tx, provider, member, { action: 'invitation.accepted', details: { by: 'single sign-on' } })
  }
  if (existingMember && !isClosed) await give(tx, provider, existingMember, who.claims)
  return { memberId: member.id }
}

function denialOf(
  provider: Provider,
  { claims }: VerifiedIdentity,
  member: (SignOnMember & { isBound?: boolean }) | undefined,
  isClosed: boolean,
): BindDenial | undefined {
  // The issuer has reassigned the address, or has changed the subject of this person.
  if (member?.isBound) return 'other-subject'
  if (member?.isDisabled) return 'disabled'
  if (isClosed && (!member || member.isInvited)) return 'closed'
  if (!member && provider.joinRoles === null && rolesBy(claims, provider) === null) return 'no-member'
  const roles = rolesBy(claims, provider) ?? (member ? member.roles : provider.joinRoles)
  return roles?.length === 0 && (!member || rolesBy(claims, provider)) ? 'no-role' : undefined
}

async function join(
  tx: Transaction,
  provider: Provider,
  { email, claims }: VerifiedIdentity,
): Promise<SignOnMember> {
  const { customerId } = provider
  const roles = rolesBy(claims, provider) ?? provider.joinRoles ?? []
  const billingProfiles = profilesBy(claims, provider)
  const name = nameBy(claims, email)
  const addedBy = 'Single sign-on'
  const id = await addJoined(tx, customerId, { email, name, roles, billingProfiles, addedBy })
  noteCaller({ id, customerId })
  const details = { email, name, roles, by: 'single sign-on' }
  await record(tx, provider, { id, name }, { action: 'member.added', details })
  return { id, name, email, roles, billingProfiles, isDisabled: false, isInvited: false }
}

/**
 * Applies the roles and billing profiles of the current claims. The last Admin keeps that role, and the last one who
 * sees all billing profiles keeps seeing them.
 */
async function give(
  tx: Transaction,
  provider: Provider,
  member: SignOnMember,
  claims: Claims,
): Promise<void> {
  const { customerId } = provider
  const { roles, profiles } = await allowedAccess(tx, customerId, member, {
    roles: rolesBy(claims, provider),
    profiles: profilesBy(claims, provider),
  })
  if (roles && !isSame(roles, member.roles)) {
    await setClaimed(tx, customerId, member.id, { roles })
    const details = {
      email: member.email,
      changed: 'roles',
      from: member.roles,
      to: roles,
      by: 'single sign-on',
    }
    await record(tx, provider, member, { action: 'member.changed', details })
  }
  if (profiles && !isSame(profiles, member.billingProfiles)) {
    await setClaimed(tx, customerId, member.id, { billingProfiles: profiles })
    const from = member.billingProfiles ?? 'all'
    const details = {
      email: member.email,
      changed: 'billingProfiles',
      from,
      to: profiles,
      by: 'single sign-on',
    }
    await record(tx, provider, member, { action: 'member.changed', details })
  }
}

/** Access of a member's claims; null: no claim decides it. */
type ClaimedAccess = { roles: Role[] | null; profiles: string[] | null }

async function allowedAccess(
  tx: Transaction,
  customerId: CustomerId,
  member: SignOnMember,
  { roles, profiles }: ClaimedAccess,
): Promise<ClaimedAccess> {
  const losesAdmin = roles !== null && !roles.includes('admin')
  const losesFull = member.billingProfiles === null && (losesAdmin || profiles !== null)
  if (!member.roles.includes('admin') || !(losesAdmin || losesFull)) return { roles, profiles }
  const last = await lastAdminOf(tx, customerId, member)
  return {
    roles: losesAdmin && last.isLast ? [...roles, 'admin'] : roles,
    profiles: losesFull && last.isLastFull ? null : profiles,
  }
}

function isSame(one: readonly string[], other: readonly string[] | null): boolean {
  return other !== null && one.length === other.length && one.every((each) => other.includes(each))
}

function record(
  tx: Transaction,
  { customerId }: Provider,
  { id, name }: Pick<SignOnMember, 'id' | 'name'>,
  { action, details }: { action: string; details: Record<string, string | string[]> },
): Promise<void> {
  const actor = { kind: 'member', id, name } as const
  const requestId = requestContext()?.requestId ?? randomUUID()
  return recordAudit(tx, customerId, { action, subject: id, actor, requestId, details })
}

// Rows that an identity provider creates and updates: memberships, roles, billing profiles.

/** Adds an active member, whose identity the issuer has verified. @returns the id */
export async function addJoined(
  tx: Transaction,
  customerId: CustomerId,
  values: { email: string; name: string; roles: Role[]; billingProfiles: string[] | null; addedBy: string },
): Promise<string> {
  const id = randomUUID()
  await tx.insert(members).values({ customerId, id, ...values })
  await noteAddress(tx, customerId, { email: values.email, id })
  return id
}

/**
 * Returns whether no other member is an Admin who can sign in, and sees all billing profiles if this member does; with
 * passwords off, whether no other Admin certainly gets in without. Locks those Admins until the transaction ends.
 */
async function lastAdminOf(
  tx: Transaction,
  customerId: CustomerId,
  { id, billingProfiles }: SignOnMember,
): Promise<{ isLast: boolean; isLastFull: boolean }> {
  const isAdmin = sql`${members.roles} @> '{admin}' AND ${members.disabledAt} IS NULL AND ${members.invitedAt} IS NULL`
  // Locks in ascending order of ids, like every change of members.
  const locked = await tx
    .select({ id: members.id, profiles: members.billingProfiles })
    .from(members)
    .where(and(eq(members.customerId, customerId), or(eq(members.id, id), isAdmin)))
    .orderBy(members.id)
    .for('no key update')
  const others = locked.filter((one) => one.id !== id)
  const isLastFull = billingProfiles === null && others.every(({ profiles }) => profiles !== null)
  const isSure = isLastFull || (await isLastBySignOn(tx, customerId, id))
  return { isLast: others.length === 0 || isSure, isLastFull: billingProfiles === null && isSure }
}

/** Stores the roles or billing profiles of a member's claims. */
async function setClaimed(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  values: { roles?: Role[]; billingProfiles?: string[] },
): Promise<void> {
  const memberFilter = and(eq(members.customerId, customerId), eq(members.id, memberId))
  await tx.update(members).set(values).where(memberFilter)
}
