import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { sessions } from '#lib/platform/db/schema/access/sign-ins.ts'
import type { FactorCredential } from '../second-factors/contract.ts'
import type { Credential } from './contract.ts'
import { proveFactor, reauthenticationIn } from './factors/prove.ts'
import type { Reaching } from './factors/rules.ts'
import { attemptInSession, auditPassword, invalidAt } from './passwords/current-password.ts'
import { passwordFits } from './passwords/hash.ts'
import { findPersonOf } from './people/find-person.ts'
import { traceFailure } from './sign-ins/audit.ts'
import { findOpening } from './sign-on/find-provider.ts'

/** Result of a confirmation; `factor` where a second factor was verified. */
type Verification = { factor?: Reaching }

/** Throws a Problem where the credential is wrong. */
type Check<By extends Credential['by']> = (
  caller: Caller,
  credential: Extract<Credential, { by: By }>,
) => Promise<Verification>

/**
 * Ways in which a signed-in member can confirm their identity. A new way needs an entry here, and its schema in
 * contract.ts.
 */
const CHECKS: { [By in Credential['by']]: Check<By> } = {
  password: provePassword,
  code: (caller, { code }) => proveByFactor(caller, { code }, '/code'),
  passkey: (caller, { passkey }) => proveByFactor(caller, { passkey }, '/passkey'),
}

/**
 * Verifies the credential with which a signed-in member confirms their identity.
 * @throws Problem `invalid_request` where it is wrong, `rate_limited` after too many wrong ones
 */
export function prove(caller: Caller, credential: Credential): Promise<Verification> {
  const check = CHECKS[credential.by] as Check<Credential['by']>
  return check(caller, credential)
}

async function provePassword(caller: Caller, { password }: Extract<Credential, { by: 'password' }>) {
  const attempt = await attemptInSession(caller)
  const { customerId, id } = caller
  const person = await findPersonOf(customerId, id)
  const here = person?.memberships.find((one) => one.customerId === customerId)
  if (!(await passwordFits(password, here?.isSignOnOnly ? null : here?.passwordHash))) {
    await auditPassword(caller, 'refused')
    throw invalidAt('/password', 'is not your password')
  }
  await attempt.refund()
  return {}
}

async function proveByFactor(
  caller: Caller,
  credential: FactorCredential,
  pointer: string,
): Promise<Verification> {
  const { customerId, id, session = '' } = caller
  const person = await findPersonOf(customerId, id)
  const eligible = person?.memberships.filter((one) => one.customerId === customerId && !one.isSignOnOnly)
  const memberships = eligible ?? []
  const prover = { personId: person?.personId ?? '', memberships }
  const proved = await proveFactor(prover, credential, reauthenticationIn(session))
  if (proved.kind === 'proven') return { factor: proved.factor }
  traceFailure({ memberships }, proved.kind === 'throttled' ? 'throttled' : 'failed', 'second factor')
  if (proved.kind === 'refused') throw invalidAt(pointer, 'was not accepted')
  const headers = { 'Retry-After': String(proved.seconds) }
  throw new Problem('rate_limited', 'A code was wrong too often. Wait before you try again.', { headers })
}

/**
 * Ways in which a signed-in member can confirm their identity: a password that opens their membership, a factor, their
 * identity provider.
 */
type ReauthenticationMethods = { password: boolean; factor: boolean; signOn: boolean }

/**
 * Returns the methods available to a member: a password opens nothing where the customer has turned passwords off, or
 * the member has none, and an identity provider confirms only sessions that it has opened.
 */
export async function reauthenticationMethodsOf({
  customerId,
  id,
  session,
}: Caller): Promise<ReauthenticationMethods> {
  const [person, opening] = await Promise.all([
    findPersonOf(customerId, id),
    session === undefined ? undefined : findOpening(customerId, session),
  ])
  const here = person?.memberships.find((one) => one.customerId === customerId)
  const factor = here !== undefined && !here.isSignOnOnly
  return { password: factor && here.passwordHash !== null, factor, signOn: opening !== undefined }
}

/** Stores the time of a confirmation of the member's identity, by the database's clock. */
export async function noteReauthentication(
  tx: Transaction,
  customerId: CustomerId,
  digest: string,
): Promise<void> {
  await tx
    .update(sessions)
    .set({ provenAt: sql`now()` })
    .where(and(eq(sessions.customerId, customerId), eq(sessions.digest, digest)))
}
