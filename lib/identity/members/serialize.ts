import 'server-only'
import { hash } from 'node:crypto'
import type { Reply } from '#lib/platform/api/operation.ts'
import { INVITE_MAILS, type Member } from './contract.ts'
import { type MemberSnapshot, type MemberState, sortRoles } from './rules.ts'
import type { MemberRow } from './store.ts'

export function serializeMember(row: MemberRow): Member {
  const state = stateOf(row)
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    roles: sortRoles(row.roles),
    billingProfiles: row.billingProfiles,
    state,
    ...(state === 'invited' ? invitationOf(row) : {}),
    ...(state === 'active' ? { secondFactors: row.secondFactors } : {}),
    createTime: row.createdAt.getTime(),
    ...(row.addedBy === null ? {} : { addedBy: row.addedBy }),
    ...(row.lastSignInAt ? { lastSignInTime: row.lastSignInAt.getTime() } : {}),
  }
}

function invitationOf({ inviteExpiresAt, inviteMail }: MemberRow): Partial<Member> {
  const mail = inviteMail === 'SENDING' ? 'waiting' : inviteMail?.toLowerCase()
  const mailState = INVITE_MAILS.find((one) => one === mail)
  return {
    ...(inviteExpiresAt ? { inviteExpireTime: inviteExpiresAt.getTime() } : {}),
    ...(mailState ? { inviteMail: mailState } : {}),
  }
}

/** Returns the response with one member. */
export function replyOf(row: MemberRow): Reply<Member> {
  return { body: serializeMember(row), version: versionOf(row) }
}

/** Returns the version of a member, which changes with every changeable field. */
export function versionOf(row: MemberRow): string {
  const { name, roles, billingProfiles, disabledAt } = row
  const parts = [name, sortRoles(roles), billingProfiles, disabledAt !== null]
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 12)
}

/** Returns the state of a member for the rules. */
export function snapshotOf(row: MemberRow): MemberSnapshot {
  const { name, roles, billingProfiles } = row
  return { name, roles, billingProfiles, state: stateOf(row) }
}

function stateOf({ disabledAt, invitedAt }: Pick<MemberRow, 'disabledAt' | 'invitedAt'>): MemberState {
  if (disabledAt) return 'disabled'
  return invitedAt ? 'invited' : 'active'
}
