import 'server-only'
import { operation } from '#lib/api/operation.ts'
import { Problem } from '#lib/api/problem.ts'
import { scope } from '#lib/db/scope.ts'
import { actorOf, recordAudit } from '#lib/history/audit.ts'
import * as contract from './contract.ts'
import { hashPassword, passwordFits, readPasswordHash, setPasswordHash } from './password.ts'

export const validateKey = operation(contract.validateKey, async (caller) => ({
  body: { domain: caller.customerDomain, email: caller.email },
}))

/** Changes the password and ends the member's other sessions. */
export const changePassword = operation(contract.changePassword, async (caller, { body }, { requestId }) => {
  if (caller.via !== 'session')
    throw new Problem('permission_denied', 'Only a signed-in member has a password.')
  const hash = await hashPassword(body.newPassword)
  await scope(caller, async (tx) => {
    const known = await readPasswordHash(tx, caller.customerId, caller.id)
    if (!(await passwordFits(body.currentPassword, known))) {
      const detail = 'is not your current password'
      throw new Problem('invalid_request', detail, { errors: [{ pointer: '/currentPassword', detail }] })
    }
    await setPasswordHash(tx, caller.customerId, caller.id, hash, caller.session)
    const event = { action: 'password.changed', subject: caller.id, actor: actorOf(caller), requestId }
    await recordAudit(tx, caller.customerId, event)
  })
  return { body: { changed: true } }
})
