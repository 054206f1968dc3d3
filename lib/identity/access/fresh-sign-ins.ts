import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { sessions } from '#lib/platform/db/schema/access/sign-ins.ts'
import type { Given } from '../second-factors/contract.ts'
import type { Proof } from './contract.ts'
import { proofIn, proveFactor } from './factors/prove.ts'
import type { Reaching } from './factors/rules.ts'
import { attemptInSession, refusedAt, tracePassword } from './passwords/attempts.ts'
import { passwordFits } from './passwords/hash.ts'
import { findPersonOf } from './people/look-up.ts'
import { traceFailure } from './sign-ins/traces.ts'
import { findOpening } from './sign-on/look-up.ts'

/** A second factor, where that was proven. */
type Proven = { factor?: Reaching }

/** Throws a Problem where what is given proves nothing. */
type Check<By extends Proof['by']> = (caller: Caller, given: Extract<Proof, { by: By }>) => Promise<Proven>

/** By what a signed-in member can prove who they are. Another way is one more line here, and its shape in contract.ts. */
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

/** By what a signed-in member can prove who they are: a password that opens their membership, a factor, their issuer. */
type Ways = { password: boolean; factor: boolean; signOn: boolean }

/**
 * The ways that are not refused to a member: no password opens anything where the customer has turned them off, nor for who
 * has none; and an issuer confirms the sessions that it has opened.
 */
export async function waysOf({ customerId, id, session }: Caller): Promise<Ways> {
  const [person, opening] = await Promise.all([
    findPersonOf(customerId, id),
    session === undefined ? undefined : findOpening(customerId, session),
  ])
  const here = person?.memberships.find((one) => one.customerId === customerId)
  const factor = here !== undefined && !here.isSignOnOnly
  return { password: factor && here.passwordHash !== null, factor, signOn: opening !== undefined }
}

/** Notes that the member has proven now, by the database's clock, that it is they who use this session. */
export async function noteProof(tx: Transaction, customerId: CustomerId, digest: string): Promise<void> {
  await tx
    .update(sessions)
    .set({ provenAt: sql`now()` })
    .where(and(eq(sessions.customerId, customerId), eq(sessions.digest, digest)))
}
