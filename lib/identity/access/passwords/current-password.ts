import 'server-only'
import { randomUUID } from 'node:crypto'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { actorOf } from '#lib/platform/history/audit.ts'
import { recordRejection } from '#lib/platform/history/requests.ts'
import { measured, requestContext } from '#lib/platform/runtime/log.ts'
import { type Attempt, countPasswordAttempt } from '../sign-ins/throttling.ts'

/**
 * Counts an attempt to enter the present password within a session, before the comparison: otherwise a stolen session
 * allows guessing.
 * @throws Problem `rate_limited`, after too many wrong ones
 */
export async function attemptInSession(caller: Caller): Promise<Extract<Attempt, { kind: 'counted' }>> {
  const attempt = await countPasswordAttempt(caller.session ?? '')
  if (attempt.kind === 'counted') return attempt
  measured('limit', { limit: 'passwords' })
  await auditPassword(caller, 'throttled')
  throw tooManyAttempts(attempt.seconds, 'The current password was wrong too often.')
}

/** Records a wrong or throttled attempt at the present password in a session, at most once a minute. */
export function auditPassword(caller: Caller, what: 'refused' | 'throttled'): Promise<void> {
  const requestId = requestContext()?.requestId ?? randomUUID()
  const event = { action: `password.${what}`, subject: caller.id, actor: actorOf(caller), requestId }
  return recordRejection(caller.customerId, event)
}

/** Returns the problem of a rejected password at its field. */
export function invalidAt(pointer: string, detail: string): Problem {
  return new Problem('invalid_request', detail, { errors: [{ pointer, detail }] })
}

/** Returns the problem of a throttled attempt, with the wait in seconds. */
export function tooManyAttempts(seconds: number, why: string): Problem {
  const headers = { 'Retry-After': String(seconds) }
  return new Problem('rate_limited', `${why} Wait before you try again.`, { headers })
}
