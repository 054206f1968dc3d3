import 'server-only'
import { operation } from '#lib/api/operation.ts'
import { Problem } from '#lib/api/problem.ts'
import { scope } from '#lib/db/scope.ts'
import { recordRefusal } from '#lib/history/apart.ts'
import { actorOf, recordAudit } from '#lib/history/audit.ts'
import { measured } from '#lib/measured.ts'
import * as contract from './contract.ts'
import { hashPassword, passwordFits, readPasswordHash, setPasswordHash } from './password.ts'
import { faultOf } from './passwords/check.ts'
import { countPasswordAttempt } from './sign-ins/budgets.ts'

export const validateKey = operation(contract.validateKey, async (caller) => ({
  body: { domain: caller.customerDomain, email: caller.email },
}))

/**
 * Changes the password and ends the member's other sessions. Whoever has got hold of a session could try passwords here,
 * so each attempt is counted before the present one is compared.
 */
export const changePassword = operation(contract.changePassword, async (caller, { body }, { requestId }) => {
  if (caller.via !== 'session')
    throw new Problem('permission_denied', 'Only a signed-in member has a password.')
  const { currentPassword, newPassword } = body
  const fault = await faultOf(newPassword, caller, newPassword === currentPassword)
  if (fault !== undefined) throw refusedAt('/newPassword', fault)
  const event = { subject: caller.id, actor: actorOf(caller), requestId }
  const attempt = await countPasswordAttempt(caller.session ?? '')
  if (attempt.kind === 'throttled') {
    measured('limit', { limit: 'passwords' })
    await recordRefusal(caller.customerId, { ...event, action: 'password.throttled' })
    throw tooManyAttempts(attempt.seconds)
  }
  const hash = await hashPassword(newPassword)
  const isChanged = await scope(caller, async (tx) => {
    const known = await readPasswordHash(tx, caller.customerId, caller.id)
    if (!(await passwordFits(currentPassword, known))) return false
    await setPasswordHash(tx, caller.customerId, caller.id, hash, caller.session)
    await recordAudit(tx, caller.customerId, { ...event, action: 'password.changed' })
    return true
  })
  if (!isChanged) {
    await recordRefusal(caller.customerId, { ...event, action: 'password.refused' })
    throw refusedAt('/currentPassword', 'is not your current password')
  }
  await attempt.forgive()
  return { body: { changed: true } }
})

function refusedAt(pointer: string, detail: string): Problem {
  return new Problem('invalid_request', detail, { errors: [{ pointer, detail }] })
}

function tooManyAttempts(seconds: number): Problem {
  const detail = 'The current password was wrong too often. Wait before you try again.'
  return new Problem('rate_limited', detail, { headers: { 'Retry-After': String(seconds) } })
}
