import 'server-only'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { reauthenticate } from '#lib/platform/caller/session.ts'
import { recordAudit } from '#lib/platform/history/audit.ts'
import { requestContext } from '#lib/platform/runtime/log.ts'
import { changePerson, type MembershipTask } from '../people/change.ts'
import { findPersonOf } from '../people/find-person.ts'
import type { Membership } from '../people/rules.ts'
import { passwordDigest } from '../people/session-credential.ts'
import { countSetting } from '../sign-ins/throttling.ts'
import { checkPassword } from './check.ts'
import { attemptInSession, auditPassword, invalidAt, tooManyAttempts } from './current-password.ts'
import { hashPassword, passwordFits, saltOf } from './hash.ts'
import { setPasswordHash, setPersonHash } from './set.ts'

/**
 * Changes the password of a signed-in member and ends the other sessions that the old password opened. The new password
 * opens the same memberships as the old one. Each attempt is counted before the comparison, because a stolen session
 * would allow guessing otherwise.
 * @throws Problem `invalid_request` at a field, `rate_limited`
 */
export async function replacePassword(
  caller: Caller,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
  requestId: string,
): Promise<void> {
  const { customerId, id, session = '' } = caller
  const violation = await checkPassword(newPassword, caller, newPassword === currentPassword)
  if (violation !== undefined) throw invalidAt('/newPassword', violation)
  const attempt = await attemptInSession(caller)
  let isWrong = false
  const change = changePerson(
    () => findPersonOf(customerId, id),
    async (tx, person) => {
      const here = person.memberships.find((one) => one.customerId === customerId)
      if (here?.isSignOnOnly)
        throw new Problem(
          'permission_denied',
          'Your company signs in by single sign-on alone: there is no password.',
        )
      const former = here?.passwordHash
      isWrong = !(await passwordFits(currentPassword, former))
      if (isWrong) throw invalidAt('/currentPassword', 'is not your current password')
      const wait = await countSetting(customerId, caller.email)
      if (wait > 0) throw tooManyAttempts(wait, 'The password was changed too often.')
      const hash = await hashPassword(newPassword, saltOf(person))
      if (person.passwordHash === former) await setPersonHash(tx, person.personId, hash)
      const opened = person.memberships.filter(
        (one) => one.passwordHash === former && !one.isInvited && !one.isSignOnOnly,
      )
      return opened.map((one) =>
        taskFor(one, one.isOwn ? hash : null, {
          exceptSession: session,
          proof: passwordDigest(hash),
          requestId,
        }),
      )
    },
  )
  const exists = await change.catch(async (error: unknown) => {
    if (isWrong) await auditPassword(caller, 'refused')
    throw error
  })
  if (!exists) throw new Error('A signed-in member was not found.')
  await attempt.refund()
}

/** Returns the change of one membership that the old password opened. */
function taskFor(
  { customerId, memberId, name }: Membership,
  membershipHash: string | null,
  { exceptSession, proof, requestId }: { exceptSession: string; proof: string; requestId: string },
): MembershipTask {
  return {
    customerId,
    async run(tx) {
      const here = requestContext()
      const from = here && { address: here.address, userAgent: here.agent ?? '' }
      await setPasswordHash(tx, customerId, memberId, { hash: membershipHash, exceptSession, from })
      await reauthenticate(tx, customerId, exceptSession, proof)
      const actor = { kind: 'member', id: memberId, name } as const
      await recordAudit(tx, customerId, { action: 'password.changed', subject: memberId, actor, requestId })
    },
  }
}
