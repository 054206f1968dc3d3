import 'server-only'
import { Problem } from '#lib/api/problem.ts'
import type { Caller } from '../rules.ts'
import { type Attempt, countPasswordAttempt } from '../sign-ins/budgets.ts'

/**
 * Counts an attempt to name the present password within a session, before it is compared: whoever has got hold of a
 * session could try passwords there.
 * @throws Problem `rate_limited`, after too many wrong ones
 */
export async function attemptInSession({
  session = '',
}: Pick<Caller, 'session'>): Promise<Extract<Attempt, { kind: 'counted' }>> {
  const attempt = await countPasswordAttempt(session)
  if (attempt.kind === 'counted') return attempt
  const detail = 'The current password was wrong too often. Wait before you try again.'
  throw new Problem('rate_limited', detail, { headers: { 'Retry-After': String(attempt.seconds) } })
}

/** A password that is refused at its field. */
export function refusedAt(pointer: string, detail: string): Problem {
  return new Problem('invalid_request', detail, { errors: [{ pointer, detail }] })
}
