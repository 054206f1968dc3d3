import 'server-only'
import type { Given, NewFactor } from '../../second-factors/contract.ts'
import { SIGN_IN } from '../factors/passkeys.ts'
import { proveFactor } from '../factors/prove.ts'
import { provenBy } from '../factors/rules.ts'
import { setUp } from '../factors/set-up.ts'
import { findPersonById } from '../people/look-up.ts'
import { openedByProof } from '../people/proofs.ts'
import { nextStep } from '../people/rules.ts'
import { goOn, type SignedIn, type Visitor } from '../sign-in.ts'
import { countStep, findPending, furtherPending, type Pending } from './pending.ts'
import { traceFailure } from './traces.ts'

// The steps of a sign-in at which a second factor is proven, or set up where one is demanded.

/** `ended`: what was proven before is not known any more, since it took too long or was tried too often. */
export type Stepped = SignedIn | { kind: 'ended' }

const ENDED: Stepped = { kind: 'ended' }

/** The step at which a browser stands between a proof and a session; undefined where it stands at none. */
export async function stepAt(cookies: string) {
  const pending = await findPending(cookies)
  const person = pending && (await findPersonById(pending.personId))
  if (!person) return undefined
  const { proven, picked } = pending
  const memberships = openedByProof(pending.proof, person)
  return { pending, memberships, step: nextStep({ memberships, proven, picked }) }
}

/** Proves a second factor, and goes on. */
export async function proveStep(given: Given, visitor: Visitor): Promise<Stepped> {
  const at = await stepAt(visitor.cookies)
  if (!at || !(await countStep(at.pending))) return ENDED
  const { pending, step } = at
  if (step.kind !== 'factor') return goOn(pending, visitor)
  const memberships = step.membership ? [step.membership] : at.memberships
  const proved = await proveFactor({ personId: pending.personId, memberships }, given, SIGN_IN)
  if (proved.kind === 'proven') return further(pending, proved.proven, visitor)
  traceFailure({ memberships }, proved.kind === 'throttled' ? 'throttled' : 'failed', 'second factor')
  return proved
}

/**
 * Sets up the factor that a customer demands, and goes on.
 * @throws Problem `invalid_request` at what is wrong
 */
export async function setUpStep(given: NewFactor, visitor: Visitor): Promise<Stepped> {
  const at = await stepAt(visitor.cookies)
  if (!at || !(await countStep(at.pending))) return ENDED
  const { pending, step } = at
  if (step.kind !== 'set-up') return goOn(pending, visitor)
  const { customerId, memberId } = step.membership
  const added = await setUp({ customerId, memberId, proven: pending.proven, owner: pending.digest }, given)
  return further(pending, provenBy(added), visitor)
}

async function further(pending: Pending, proven: readonly string[], visitor: Visitor): Promise<Stepped> {
  const now = await furtherPending(pending, { proven })
  return now ? goOn(now, visitor) : ENDED
}
