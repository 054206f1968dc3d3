import 'server-only'
import { requirePerson } from '#lib/identity/access/authority.ts'
import { listBillingProfiles } from '#lib/identity/customers/billing-profiles.ts'
import { isLastBySignOn } from '#lib/identity/single-sign-on/sign-in-methods.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { isVersion } from '#lib/platform/api/request.ts'
import { type Caller, ROLE_NAMES } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { actorOf, recordAudit } from '#lib/platform/history/audit.ts'
import { accessOf, limitOf } from './access.ts'
import {
  type Difference,
  decideChange,
  isAdmin,
  isFullAdmin,
  isLoss,
  type MemberChange,
  type Violation,
} from './rules.ts'
import { snapshotOf, versionOf } from './serialize.ts'
import { lockMember, type MemberRow, readMember, setDisabled, setMember, setRemoved } from './store.ts'

/**
 * Changes a member, with an audit event per changed field.
 * @param ifMatch If-Match header: the accepted versions of the member
 * @throws Problem `not_found`, `member_changed`, `last_admin`, or a problem of `violationProblem`
 */
export async function change(
  tx: Transaction,
  caller: Caller,
  memberId: string,
  {
    requested,
    ifMatch,
    requestId,
  }: { requested: MemberChange; ifMatch?: string | undefined; requestId: string },
): Promise<MemberRow> {
  const { customerId } = caller
  const locked = await lockMember(tx, customerId, memberId)
  if (!locked) throw new Problem('not_found')
  const { member, ...others } = locked
  if (!isVersion(versionOf(member), ifMatch)) throw new Problem('member_changed')
  const snapshot = snapshotOf(member)
  if (requested.disabled === false && member.disabledAt) requirePerson(caller, 'Enabling a member')
  // A stolen key could lock people out, also those who would revoke it.
  if (isLoss(snapshot, requested)) requirePerson(caller, 'Disabling a member or removing access')
  const isLast = isAdmin(snapshot) && (await isLastBySignOn(tx, customerId, memberId))
  const hasFullAdmin = isFullAdmin(snapshot) || others.otherFullAdmins > 0
  const limit = hasFullAdmin ? await limitOf(tx, caller) : undefined
  const around = { ...(await givingOf(tx, caller)), ...others, limit, isLastBySignOn: isLast }
  const decided = decideChange(snapshot, requested, around)
  if ('refused' in decided) throw violationProblem(decided.refused, caller)
  for (const difference of decided.differences) {
    await apply(tx, customerId, memberId, difference)
    const event = {
      subject: memberId,
      actor: actorOf(caller),
      requestId,
      ...auditEntryOf(member, difference),
    }
    await recordAudit(tx, customerId, event)
  }
  return (await readMember(tx, customerId, memberId)) ?? member
}

/** Returns the access that a caller may grant, and the ids of the customer's billing profiles. */
export async function givingOf(tx: Transaction, caller: Caller) {
  const profiles = await listBillingProfiles(tx, caller.customerId)
  return { access: await accessOf(tx, caller), profiles: profiles.map(({ id }) => id) }
}

const BY_KEY = 'it requires a signed-in member, and an API key cannot grant access'

/** Returns the problem for access that can't be granted or removed. */
export function violationProblem(violation: Violation, { via }: Pick<Caller, 'via'>): Problem {
  const some = via === 'key' ? BY_KEY : 'you see some only'
  const none = via === 'key' ? BY_KEY : 'you do not see it'
  switch (violation.reason) {
    case 'last_admin':
      return new Problem(
        'last_admin',
        'This is the last Admin who can sign in and sees all billing profiles. Make another such Admin first, who has accepted the invitation.',
      )
    case 'last_admin_by_sign_on':
      return new Problem(
        'last_admin',
        'Passwords are off, and of the Admins this one alone has come by single sign-on. Have another Admin sign in by it first, or allow passwords.',
      )
    case 'unknown_profile':
      return at(
        'invalid_request',
        `/billingProfiles/${violation.at}`,
        `"${violation.profile}" is no billing profile`,
      )
    case 'profile_not_held':
      return at(
        'permission_denied',
        `/billingProfiles/${violation.at}`,
        `"${violation.profile}" is not yours to give: ${none}`,
      )
    case 'all_profiles_not_held':
      return at('permission_denied', '/billingProfiles', `all are not yours to give: ${some}`)
    case 'more_than_held':
      return at(
        'permission_denied',
        '/disabled',
        'this member has roles or billing profiles that you do not have',
      )
    case 'member_holds_more':
      return new Problem(
        'permission_denied',
        'This member has roles or billing profiles that you do not have. An Admin who sees all billing profiles can change them.',
      )
    case 'role_not_held':
      return at(
        'permission_denied',
        '/roles',
        `${ROLE_NAMES[violation.role]} is not yours to give${via === 'key' ? `: ${BY_KEY}` : ''}`,
      )
  }
}

function at(code: 'invalid_request' | 'permission_denied', pointer: string, detail: string): Problem {
  return new Problem(code, `${pointer}: ${detail}`, { errors: [{ pointer, detail }] })
}

function apply(tx: Transaction, customerId: Caller['customerId'], id: string, difference: Difference) {
  if (difference.what === 'disabled') return setDisabled(tx, customerId, id, difference.to)
  const to = Array.isArray(difference.to) ? [...difference.to] : difference.to
  return setMember(tx, customerId, id, { [difference.what]: to })
}

/** Returns the action and details of a changed field's audit event. */
function auditEntryOf({ email }: MemberRow, difference: Difference) {
  if (difference.what === 'disabled')
    return { action: difference.to ? 'member.disabled' : 'member.enabled', details: { email } }
  const { what, from, to } = difference
  const text = (value: typeof from) =>
    value === null ? 'all' : typeof value === 'string' ? value : [...value]
  return { action: 'member.changed', details: { email, changed: what, from: text(from), to: text(to) } }
}

/**
 * Removes a member for good, on request of a directory: the member is disabled and unlisted, and the keys that they
 * issued end. The row stays, because audit events and keys refer to it. If the address is added again, it gets a new
 * membership.
 * @throws Problem `not_found`, `last_admin`
 */
export async function remove(
  tx: Transaction,
  caller: Caller,
  memberId: string,
  requestId: string,
): Promise<void> {
  const { customerId } = caller
  const { email } = await change(tx, caller, memberId, { requested: { disabled: true }, requestId })
  const keys = await setRemoved(tx, customerId, memberId)
  const event = { action: 'member.removed', subject: memberId, actor: actorOf(caller), requestId }
  await recordAudit(tx, customerId, { ...event, details: { email, keys } })
}
