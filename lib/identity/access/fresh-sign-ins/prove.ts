import 'server-only'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Given } from '../../second-factors/contract.ts'
import type { Proof } from '../contract.ts'
import { proofIn, proveFactor } from '../factors/prove.ts'
import type { Reaching } from '../factors/rules.ts'
import { passwordFits } from '../password.ts'
import { attemptInSession, refusedAt, tracePassword } from '../passwords/attempts.ts'
import { findPersonOf } from '../people/look-up.ts'
import { traceFailure } from '../sign-ins/traces.ts'

/** A second factor, where that was proven. */
type Proven = { factor?: Reaching }

/** Throws a Problem where what is given proves nothing. */
type Check<By extends Proof['by']> = (caller: Caller, given: Extract<Proof, { by: By }>) => Promise<Proven>

/** By what a signed-in member can prove who they are. Another way is one more line here, and its shape in shapes.ts. */
const WAYS: { [By in Proof['by']]: Check<By> } = {
  password: provePassword,
  code: (caller, { code }) => proveByFactor(caller, { code }, '/code'),
  passkey: (caller, { passkey }) => proveByFactor(caller, { passkey }, '/passkey'),
}

/**
 * Compares what a signed-in member gives to prove who they are.
 * @throws Problem `invalid_request` where it is wrong, `rate_limited` where it was so too often
 */
export function prove(caller: Caller, given: Proof): Promise<Proven> {
  const check = WAYS[given.by] as Check<Proof['by']>
  return check(caller, given)
}

async function provePassword(caller: Caller, { password }: Extract<Proof, { by: 'password' }>) {
  const attempt = await attemptInSession(caller)
  const { customerId, id } = caller
  const person = await findPersonOf(customerId, id)
  const here = person?.memberships.find((one) => one.customerId === customerId)
  if (!(await passwordFits(password, here?.isSignOnOnly ? null : here?.passwordHash))) {
    await tracePassword(caller, 'refused')
    throw refusedAt('/password', 'is not your password')
  }
  await attempt.forgive()
  return {}
}

async function proveByFactor(caller: Caller, given: Given, pointer: string): Promise<Proven> {
  const { customerId, id, session = '' } = caller
  const person = await findPersonOf(customerId, id)
  const own = person?.memberships.filter((one) => one.customerId === customerId && !one.isSignOnOnly)
  const memberships = own ?? []
  const prover = { personId: person?.personId ?? '', memberships }
  const proved = await proveFactor(prover, given, proofIn(session))
  if (proved.kind === 'proven') return { factor: proved.factor }
  traceFailure({ memberships }, proved.kind === 'throttled' ? 'throttled' : 'failed', 'second factor')
  if (proved.kind === 'refused') throw refusedAt(pointer, 'was not accepted')
  const headers = { 'Retry-After': String(proved.seconds) }
  throw new Problem('rate_limited', 'A code was wrong too often. Wait before you try again.', { headers })
}
