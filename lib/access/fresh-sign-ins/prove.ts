import 'server-only'
import { passwordFits } from '../password.ts'
import { attemptInSession, refusedAt } from '../passwords/attempts.ts'
import { findPersonOf } from '../people/look-up.ts'
import type { Caller } from '../rules.ts'
import { traceFailure } from '../sign-ins/traces.ts'
import type { Proof } from './shapes.ts'

/** Throws a Problem where what is given proves nothing. */
type Check<By extends Proof['by']> = (caller: Caller, given: Extract<Proof, { by: By }>) => Promise<void>

/** By what a signed-in member can prove who they are. Another way is one more line here, and its shape in shapes.ts. */
const WAYS: { [By in Proof['by']]: Check<By> } = { password: provePassword }

/**
 * Compares what a signed-in member gives to prove who they are.
 * @throws Problem `invalid_request` where it is wrong, `rate_limited` where it was so too often
 */
export function prove(caller: Caller, given: Proof): Promise<void> {
  return WAYS[given.by](caller, given)
}

async function provePassword(caller: Caller, { password }: Extract<Proof, { by: 'password' }>) {
  const attempt = await attemptInSession(caller)
  const { customerId, id } = caller
  const person = await findPersonOf(customerId, id)
  const memberships = person?.memberships.filter((one) => one.customerId === customerId) ?? []
  if (!(await passwordFits(password, memberships[0]?.passwordHash))) {
    traceFailure(person && { ...person, memberships }, 'failed')
    throw refusedAt('/password', 'is not your password')
  }
  await attempt.forgive()
}
