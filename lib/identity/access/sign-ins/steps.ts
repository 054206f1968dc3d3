import 'server-only'
import { z } from 'zod'
import { Problem } from '#lib/platform/api/problem.ts'
import { session } from '#lib/platform/caller/session.ts'
import { Assertion, type Given, NewFactor } from '../../second-factors/contract.ts'
import { answeredBy, SIGN_IN } from '../factors/passkeys.ts'
import { proveFactor } from '../factors/prove.ts'
import { needOf, provenBy } from '../factors/rules.ts'
import { findPasskey, takeCounter } from '../factors/secrets.ts'
import { setUp } from '../factors/set-up.ts'
import { findPersonById, findPersonOf } from '../people/look-up.ts'
import { openedByProof, proofOfPasskey } from '../people/proofs.ts'
import { nextStep } from '../people/rules.ts'
import {
  browserOf,
  cookiesOf,
  goOn,
  open,
  proceed,
  REFUSED,
  type SignedIn,
  type Visitor,
} from '../sign-in.ts'
import { reachOf } from './choices.ts'
import { addPending, countStep, findPending, furtherPending, type Pending } from './pending.ts'
import { traceFailure } from './traces.ts'

/** What a form of sign-in may hold, all of it text: a password with its address, or one of the steps. */
export const FIELDS = { email: {}, password: {}, customer: {}, passkey: {}, factor: {}, newFactor: {} }

export type Credentials = Partial<Record<keyof typeof FIELDS, string>> | undefined

const FactorProof = z.union([
  z.strictObject({ code: z.string().max(100) }),
  z.strictObject({ passkey: Assertion }),
])

/** The step that a form asks for; undefined where it holds a password. */
export function stepOf(given: Credentials): ((visitor: Visitor) => Promise<Stepped>) | undefined {
  const { customer, passkey, factor, newFactor } = given ?? {}
  if (typeof customer === 'string') return (visitor) => pick(customer, visitor)
  if (typeof passkey === 'string') return read(Assertion, passkey, signInByPasskey)
  if (typeof factor === 'string') return read(FactorProof, factor, proveStep)
  if (typeof newFactor === 'string') return read(NewFactor, newFactor, setUpStep)
  return undefined
}

/** Reads a step from its text. What can't be read is refused, as is what the step finds wrong in it. */
function read<T>(shape: z.ZodType<T>, text: string, step: (given: T, visitor: Visitor) => Promise<Stepped>) {
  return async (visitor: Visitor): Promise<Stepped> => {
    const parsed = shape.safeParse(jsonOf(text))
    if (!parsed.success) return REFUSED
    return step(parsed.data, visitor).catch((error: unknown) => {
      if (error instanceof Problem && error.code === 'invalid_request') return REFUSED
      throw error
    })
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

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

/** Proves who it is by a passkey alone, which has made sure who holds it. */
export async function signInByPasskey(answer: Assertion, visitor: Visitor): Promise<SignedIn> {
  const passkey = await findPasskey(answer.id)
  const person = passkey && (await findPersonById(passkey.personId, browserOf(visitor)))
  const factor = person?.factors.find(({ id }) => id === passkey?.id)
  const answered = passkey && (await answeredBy(SIGN_IN, answer, passkey))
  const isProven = passkey && answered?.isVerified && (await takeCounter(passkey.id, answered.counter))
  if (!person || !factor || !isProven) {
    traceFailure(person, 'failed', 'passkey')
    return REFUSED
  }
  const proven = ['passkey', ...provenBy(factor)]
  return proceed(person, { proof: proofOfPasskey(factor), proven }, visitor)
}

/**
 * Picks a customer: of those that the proof opens that this browser has brought, or, where it is signed in, in the place of
 * the present one. The former session is ended.
 */
export async function pick(customerId: string, visitor: Visitor): Promise<SignedIn> {
  const pending = await findPending(visitor.cookies)
  if (!pending) return change(customerId, visitor)
  return (await countStep(pending)) ? goOn(pending, visitor, customerId) : REFUSED
}

async function change(customerId: string, visitor: Visitor): Promise<SignedIn> {
  const before = await session(cookiesOf(visitor))
  const reach = before && (await reachOf(before))
  const membership = reach?.memberships.find((one) => one.customerId === customerId)
  if (!before || !reach || !membership || before.customerId === customerId) return REFUSED
  const { proof, proven, since } = reach
  if (needOf(membership, proven) === 'nothing') return open(membership, { proof, proven }, visitor, since)
  const personId = (await findPersonOf(before.customerId, before.id))?.personId
  return personId
    ? { kind: 'pending', id: await addPending({ personId, proof, proven, picked: customerId }) }
    : REFUSED
}
