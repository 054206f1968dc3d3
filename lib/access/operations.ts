import 'server-only'
import { operation } from '#lib/api/operation.ts'
import { Problem } from '#lib/api/problem.ts'
import { scope } from '#lib/db/scope.ts'
import { actorOf, recordAudit } from '#lib/history/audit.ts'
import * as contract from './contract.ts'
import { prove } from './fresh-sign-ins/prove.ts'
import { noteProof } from './fresh-sign-ins/store.ts'
import { hashPassword, passwordFits, readPasswordHash, setPasswordHash } from './password.ts'
import { attemptInSession, refusedAt } from './passwords/attempts.ts'
import { faultOf } from './passwords/check.ts'

export const validateKey = operation(contract.validateKey, async (caller) => ({
  body: { domain: caller.customerDomain, email: caller.email },
}))

/**
 * Changes the password and ends the member's other sessions. Each attempt is counted before the
 * present one is compared.
 */
export const changePassword = operation(contract.changePassword, async (caller, { body }, { requestId }) => {
  if (caller.via !== 'session')
    throw new Problem('permission_denied', 'Only a signed-in member has a password.')
  const { currentPassword, newPassword } = body
  const fault = await faultOf(newPassword, caller, newPassword === currentPassword)
  if (fault !== undefined) throw refusedAt('/newPassword', fault)
  const attempt = await attemptInSession(caller)
  const hash = await hashPassword(newPassword)
  await scope(caller, async (tx) => {
    const known = await readPasswordHash(tx, caller.customerId, caller.id)
    if (!(await passwordFits(currentPassword, known)))
      throw refusedAt('/currentPassword', 'is not your current password')
    await setPasswordHash(tx, caller.customerId, caller.id, hash, caller.session)
    const event = { action: 'password.changed', subject: caller.id, actor: actorOf(caller), requestId }
    await recordAudit(tx, caller.customerId, event)
  })
  await attempt.forgive()
  return { body: { changed: true } }
})

/** Notes that the member is there, after they have proven it: the session counts as freshly signed in from now on. */
export const proveSession = operation(contract.proveSession, async (caller, { body }, { requestId }) => {
  const { via, customerId, session } = caller
  if (via !== 'session' || session === undefined)
    throw new Problem('permission_denied', 'Only a signed-in member can confirm who they are.')
  await prove(caller, body)
  await scope(caller, async (tx) => {
    await noteProof(tx, customerId, session)
    const event = { action: 'session.confirmed', subject: caller.id, actor: actorOf(caller), requestId }
    await recordAudit(tx, customerId, event)
  })
  return { body: { proven: true as const } }
})
