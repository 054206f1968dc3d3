import 'server-only'
import { z } from 'zod'
import { session } from '#lib/platform/caller/session.ts'
import { gate } from '#lib/platform/runtime/concurrency.ts'
import { fittingOf } from './passwords/hash.ts'
import { PASSWORD_MAX } from './passwords/rules.ts'
import { findPerson, findPersonById } from './people/look-up.ts'
import { openedByProof, proofOf } from './people/proofs.ts'
import { type Membership, nextStep, type Person, passwordsOf } from './people/rules.ts'
import { countAttempt } from './sign-ins/budgets.ts'
import { digestOfMark, markOf, newMark } from './sign-ins/known-browsers.ts'
import { addPending, endPending, furtherPending, type Pending } from './sign-ins/pending.ts'
import { closeSession, openSession } from './sign-ins/session-life.ts'
import { traceFailure } from './sign-ins/traces.ts'
import type { Issued } from './sign-on/sealed.ts'

// The way of a sign-in: a proof, then what `nextStep` asks for, then a session of one membership. Whatever proves who
// somebody is, such as a password, ends in `proceed`.

const SignIn = z.object({ email: z.email().max(254), password: z.string().min(1).max(PASSWORD_MAX) })

/** Who asks, as far as the request says: an address in its one form, the browser's name for itself, its cookies. */
export type Visitor = { address: string; userAgent: string; cookies: string }

/**
 * `refused`: unknown, disabled and wrong look the same and take as long. `throttled`: answered before the password is
 * looked at; after so many seconds there may be another attempt. `pending`: there is a step to go, which the browser takes
 * with this id as a cookie, where it has none yet.
 */
export type SignedIn =
  | { kind: 'signed-in'; sid: string; mark: string }
  | { kind: 'pending'; id?: string }
  | { kind: 'throttled'; seconds: number }
  | { kind: 'refused' }

export const REFUSED: SignedIn = { kind: 'refused' }

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

/** What is proven of somebody; `issued` where an identity provider has proven it. */
type Proven = { proof: string; proven: readonly string[]; issued?: Issued | undefined }

/** Goes on from a proof: to a session, or to the step before it. */
export async function proceed(person: Person, given: Proven, visitor: Visitor): Promise<SignedIn> {
  const step = nextStep({ memberships: openedByProof(given.proof, person), proven: given.proven })
  if (step.kind === 'refuse') return REFUSED
  if (step.kind === 'open') return open(step.membership, given, visitor)
  const { personId } = person
  // A member who has a step to go was found by the trigger that finds people, but for one whom a backfill is still to reach.
  if (personId === null) throw new Error('A member who has a step to go has no person.')
  return { kind: 'pending', id: await addPending({ personId, ...given }) }
}

/**
 * Goes on from a step that was taken: to a session, or to the next step.
 * @param picked the customer, where one was picked
 */
export async function goOn(pending: Pending, visitor: Visitor, picked = pending.picked): Promise<SignedIn> {
  const person = await findPersonById(pending.personId, browserOf(visitor))
  const memberships = person ? openedByProof(pending.proof, person) : []
  const step = nextStep({ memberships, proven: pending.proven, picked })
  if (step.kind === 'refuse') return REFUSED
  if (step.kind === 'open') {
    const ended = await endPending(pending)
    return ended ? open(step.membership, { ...pending, ...ended }, visitor) : REFUSED
  }
  if (step.kind === 'pick' && picked !== undefined) return REFUSED
  return (await furtherPending(pending, { picked })) ? { kind: 'pending' } : REFUSED
}

/** Opens a session of a membership, and ends the one that the browser had before. @param since see `addSession` */
export async function open(
  membership: Membership,
  { proof, proven, issued }: Proven,
  visitor: Visitor,
  since?: Date,
): Promise<SignedIn> {
  const before = await session(cookiesOf(visitor))
  const mark = markOf(visitor.cookies) ?? newMark()
  const { address, userAgent } = visitor
  const opening = { proof, proven, issued, address, userAgent, mark, ...(since ? { since } : {}) }
  const sid = await openSession(membership, opening)
  if (sid === undefined) return REFUSED
  // Where it goes on to is no matter of the customer that it leaves.
  const why = before?.customerId === membership.customerId ? 'signed in again' : 'signed out'
  if (before?.session) await closeSession(before, before.session, why)
  return { kind: 'signed-in', sid, mark }
}

export const cookiesOf = ({ cookies }: Visitor) => ({
  get: (name: string) => (name === 'cookie' ? cookies : null),
})

export function browserOf({ cookies }: Visitor): string | undefined {
  const mark = markOf(cookies)
  return mark && digestOfMark(mark)
}

const BOUNDS = { waiting: 60, patience: 5000 }

/**
 * An attempt takes the one connection that may look accounts up, and a thread. Strangers, who may come from a thousand
 * addresses, leave both to browsers in which somebody has signed in before, whatever their account: a mark is all that
 * is known before anything is asked.
 */
const ways = { strangers: gate({ atOnce: 2, ...BOUNDS }), marked: gate({ atOnce: 2, ...BOUNDS }) }

/**
 * Waits for the turn of an attempt to sign in; what it gives ends it.
 * @throws Problem `service_unavailable`, where too many wait or it took too long
 */
function signInTurn(who: keyof typeof ways): Promise<() => void> {
  return ways[who]()
}
