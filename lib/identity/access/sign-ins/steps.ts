import 'server-only'
import { z } from 'zod'
import { Problem } from '#lib/platform/api/problem.ts'
import { session } from '#lib/platform/caller/session.ts'
import { Assertion, type FactorCredential, NewFactor } from '../../second-factors/contract.ts'
import { answeredBy, SIGN_IN } from '../factors/passkeys.ts'
import { proveFactor } from '../factors/prove.ts'
import { needOf, verifiedMethodsOf } from '../factors/rules.ts'
import { advanceCounter, findPasskey } from '../factors/secrets.ts'
import { setUp } from '../factors/set-up.ts'
import { findPersonById, findPersonOf } from '../people/find-person.ts'
import { nextStep } from '../people/rules.ts'
import { openedByCredential, passkeyDigest } from '../people/session-credential.ts'
import {
  type BrowserClient,
  browserOf,
  cookiesOf,
  DENIED,
  goOn,
  open,
  proceed,
  type SignedIn,
} from '../sign-in.ts'
import { recordWrongFactor, traceFailure } from './audit.ts'
import { accessScopeOf } from './choices.ts'
import { addPending, countStep, findPending, furtherPending, type Pending } from './pending.ts'

/** Fields of a sign-in form, all of them text: an address with its password, or one of the steps. */
export const FIELDS = { email: {}, password: {}, customer: {}, passkey: {}, factor: {}, newFactor: {} }

export type Credentials = Partial<Record<keyof typeof FIELDS, string>> | undefined

const FactorAnswer = z.union([
  z.strictObject({ code: z.string().max(100) }),
  z.strictObject({ passkey: Assertion }),
])

/** Returns the step that a form requests; undefined where it contains a password. */
export function stepOf(credentials: Credentials): ((client: BrowserClient) => Promise<Stepped>) | undefined {
  const { customer, passkey, factor, newFactor } = credentials ?? {}
  if (typeof customer === 'string') return (client) => selectCustomer(customer, client)
  if (typeof passkey === 'string') return read(Assertion, passkey, signInByPasskey)
  if (typeof factor === 'string') return read(FactorAnswer, factor, proveStep)
  if (typeof newFactor === 'string') return read(NewFactor, newFactor, setUpStep)
  return undefined
}

/** Parses a step. Unparsable text is refused, and so is a step that fails with `invalid_request`. */
function read<T>(
  shape: z.ZodType<T>,
  text: string,
  step: (answer: T, client: BrowserClient) => Promise<Stepped>,
) {
  return async (client: BrowserClient): Promise<Stepped> => {
    const parsed = shape.safeParse(jsonOf(text))
    if (!parsed.success) return DENIED
    return step(parsed.data, client).catch((error: unknown) => {
      if (error instanceof Problem && error.code === 'invalid_request') return DENIED
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

// Steps of a sign-in that verify a second factor, or set one up where it is mandatory.

/** `ended`: the pending sign-in has expired, or had too many attempts. */
export type Stepped = SignedIn | { kind: 'ended' }

const ENDED: Stepped = { kind: 'ended' }

/** Returns the browser's pending sign-in with its next step; undefined where there is none. */
export async function stepAt(cookies: string) {
  const pending = await findPending(cookies)
  const person = pending && (await findPersonById(pending.personId))
  if (!person) return undefined
  const { proven, picked } = pending
  const memberships = openedByCredential(pending.proof, person)
  return { pending, memberships, step: nextStep({ memberships, proven, picked }) }
}

/** Verifies a second factor, and continues the sign-in. */
export async function proveStep(answer: FactorCredential, client: BrowserClient): Promise<Stepped> {
  const at = await stepAt(client.cookies)
  if (!at || !(await countStep(at.pending))) return ENDED
  const { pending, step } = at
  if (step.kind !== 'factor') return goOn(pending, client)
  const memberships = step.membership ? [step.membership] : at.memberships
  const proved = await proveFactor({ personId: pending.personId, memberships }, answer, SIGN_IN)
  if (proved.kind === 'proven') return further(pending, proved.proven, client)
  if (proved.kind === 'throttled') traceFailure({ memberships }, 'throttled', 'second factor')
  else recordWrongFactor(memberships)
  return proved
}

/**
 * Sets up the factor that a customer demands, and continues the sign-in.
 * @throws Problem `invalid_request` at the wrong field
 */
export async function setUpStep(newFactor: NewFactor, client: BrowserClient): Promise<Stepped> {
  const at = await stepAt(client.cookies)
  if (!at || !(await countStep(at.pending))) return ENDED
  const { pending, step } = at
  if (step.kind !== 'set-up') return goOn(pending, client)
  const { customerId, memberId } = step.membership
  const added = await setUp(
    { customerId, memberId, proven: pending.proven, owner: pending.digest },
    newFactor,
  )
  return further(pending, verifiedMethodsOf(added), client)
}

async function further(
  pending: Pending,
  verifiedMethods: readonly string[],
  client: BrowserClient,
): Promise<Stepped> {
  const now = await furtherPending(pending, { proven: verifiedMethods })
  return now ? goOn(now, client) : ENDED
}

/** Signs in with a passkey as the only credential, which requires user verification. */
export async function signInByPasskey(answer: Assertion, client: BrowserClient): Promise<SignedIn> {
  const passkey = await findPasskey(answer.id)
  const person = passkey && (await findPersonById(passkey.personId, browserOf(client)))
  const factor = person?.factors.find(({ id }) => id === passkey?.id)
  const answered = passkey && (await answeredBy(SIGN_IN, answer, passkey))
  const isVerified = passkey && answered?.isVerified && (await advanceCounter(passkey.id, answered.counter))
  if (!person || !factor || !isVerified) {
    traceFailure(person, 'failed', 'passkey')
    return DENIED
  }
  const verifiedMethods = ['passkey', ...verifiedMethodsOf(factor)]
  return proceed(person, { proof: passkeyDigest(factor), proven: verifiedMethods }, client)
}

/**
 * Chooses a customer: among those that the pending sign-in's credential opens, or, in a session, one to switch to. Ends
 * the former session.
 */
export async function selectCustomer(customerId: string, client: BrowserClient): Promise<SignedIn> {
  const pending = await findPending(client.cookies)
  if (!pending) return change(customerId, client)
  return (await countStep(pending)) ? goOn(pending, client, customerId) : DENIED
}

async function change(customerId: string, client: BrowserClient): Promise<SignedIn> {
  const before = await session(cookiesOf(client))
  const accessScope = before && (await accessScopeOf(before))
  const membership = accessScope?.memberships.find((one) => one.customerId === customerId)
  if (!before || !accessScope || !membership || before.customerId === customerId) return DENIED
  const { proof, proven, since } = accessScope
  if (needOf(membership, proven) === 'nothing') return open(membership, { proof, proven }, client, since)
  const personId = (await findPersonOf(before.customerId, before.id))?.personId
  return personId
    ? { kind: 'pending', id: await addPending({ personId, proof, proven, picked: customerId }) }
    : DENIED
}
