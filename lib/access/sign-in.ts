import 'server-only'
import { z } from 'zod'
import { fittingOf } from './password.ts'
import { PASSWORD_MAX } from './passwords/rules.ts'
import { findPerson, findPersonById, openedByProof, proofOf } from './people/look-up.ts'
import { type Membership, nextStep, type Person, passwordsOf } from './people/rules.ts'
import { session } from './session-cookie.ts'
import { digestOfMark, markOf, newMark } from './sign-ins/browser-mark.ts'
import { countAttempt } from './sign-ins/budgets.ts'
import { reachOf } from './sign-ins/choices.ts'
import { addPending, countStep, endPending, findPending } from './sign-ins/pending.ts'
import { closeSession, openSession } from './sign-ins/session-life.ts'
import { traceFailure } from './sign-ins/traces.ts'
import { signInTurn } from './sign-ins/turn.ts'

// The way of a sign-in: a proof, then what `nextStep` asks for, then a session of one membership. Whatever proves who
// somebody is, such as a password, ends in `proceed`.

const SignIn = z.object({ email: z.email().max(254), password: z.string().min(1).max(PASSWORD_MAX) })

/** Who asks, as far as the request says: an address in its one form, the browser's name for itself, its cookies. */
export type Visitor = { address: string; userAgent: string; cookies: string }

/**
 * `refused`: unknown, disabled and wrong look the same and take as long. `throttled`: answered before the password is
 * looked at; after so many seconds there may be another attempt. `pending`: there is a step to go, which the browser takes
 * with this id as a cookie.
 */
export type SignedIn =
  | { kind: 'signed-in'; sid: string; mark: string }
  | { kind: 'pending'; id: string }
  | { kind: 'throttled'; seconds: number }
  | { kind: 'refused' }

const REFUSED: SignedIn = { kind: 'refused' }

/**
 * Proves an e-mail address by its password, and goes on from there: opens a session, and ends the one that the browser had
 * before, or says that there is a step to go.
 * @returns the new session's id and the browser's mark, for its cookies
 * @throws Problem `service_unavailable`, where too many try at once
 */
export async function signIn(credentials: unknown, visitor: Visitor): Promise<SignedIn> {
  const leave = await signInTurn(markOf(visitor.cookies) === undefined ? 'strangers' : 'marked')
  return tried(credentials, visitor).finally(leave)
}

async function tried(credentials: unknown, visitor: Visitor): Promise<SignedIn> {
  const given = SignIn.safeParse(credentials)
  if (!given.success) return REFUSED
  const { email, password } = given.data
  const browser = browserOf(visitor)
  const person = await findPerson(email, browser)
  const at = person?.memberships.filter(({ isKnown }) => isKnown).map((one) => one.customerId) ?? []
  const knownBrowser = browser !== undefined && at.length > 0 ? { digest: browser, at } : undefined
  const attempt = await countAttempt(email, { address: visitor.address, knownBrowser })
  if (attempt.kind === 'throttled') {
    traceFailure(person, 'throttled')
    return attempt
  }
  const hash = await fittingOf(password, person ? passwordsOf(person) : [])
  const proof = hash === undefined ? undefined : proofOf(hash)
  if (!person || proof === undefined || openedByProof(proof, person).length === 0) {
    traceFailure(person, 'failed')
    return REFUSED
  }
  await attempt.forgive()
  return proceed(person, { proof, proven: ['password'] }, visitor)
}

/** What is proven of somebody. */
type Proven = { proof: string; proven: readonly string[] }

/** Goes on from a proof: to a session, or to the step before it. */
export async function proceed(
  person: Person,
  { proof, proven }: Proven,
  visitor: Visitor,
): Promise<SignedIn> {
  const step = nextStep({ memberships: openedByProof(proof, person) })
  if (step.kind === 'refuse') return REFUSED
  if (step.kind === 'open') return open(step.membership, proof, visitor)
  const { personId } = person
  // There are several since the trigger finds people: it has found this one.
  if (personId === null) throw new Error('A member of several customers has no person.')
  return { kind: 'pending', id: await addPending({ personId, proof, proven }) }
}

/**
 * Picks a customer: of those that the proof opens that this browser has brought, or, where it is signed in, in the place of
 * the present one. The former session is ended.
 */
export async function pick(customerId: string, visitor: Visitor): Promise<SignedIn> {
  const pending = await findPending(visitor.cookies)
  if (!pending) return change(customerId, visitor)
  if (!(await countStep(pending))) return REFUSED
  const person = await findPersonById(pending.personId, browserOf(visitor))
  const memberships = person ? openedByProof(pending.proof, person) : []
  const step = nextStep({ memberships, picked: customerId })
  if (step.kind !== 'open' || !(await endPending(pending))) return REFUSED
  return open(step.membership, pending.proof, visitor)
}

async function change(customerId: string, visitor: Visitor): Promise<SignedIn> {
  const before = await session(cookiesOf(visitor))
  const reach = before?.session ? await reachOf(before.session) : undefined
  const membership = reach?.memberships.find((one) => one.customerId === customerId)
  if (!reach || !membership || before?.customerId === customerId) return REFUSED
  return open(membership, reach.proof, visitor, reach.since)
}

async function open(
  membership: Membership,
  proof: string,
  visitor: Visitor,
  since?: Date,
): Promise<SignedIn> {
  const before = await session(cookiesOf(visitor))
  const mark = markOf(visitor.cookies) ?? newMark()
  const { address, userAgent } = visitor
  const sid = await openSession(membership, { proof, address, userAgent, mark, ...(since ? { since } : {}) })
  if (sid === undefined) return REFUSED
  // Where it goes on to is no matter of the customer that it leaves.
  const why = before?.customerId === membership.customerId ? 'signed in again' : 'signed out'
  if (before?.session) await closeSession(before, before.session, why)
  return { kind: 'signed-in', sid, mark }
}

const cookiesOf = ({ cookies }: Visitor) => ({ get: (name: string) => (name === 'cookie' ? cookies : null) })

function browserOf({ cookies }: Visitor): string | undefined {
  const mark = markOf(cookies)
  return mark && digestOfMark(mark)
}
