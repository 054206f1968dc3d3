import 'server-only'
import { z } from 'zod'
import { session } from '#lib/platform/caller/session.ts'
import { gate } from '#lib/platform/runtime/concurrency.ts'
import { fittingOf } from './passwords/hash.ts'
import { PASSWORD_MAX } from './passwords/rules.ts'
import { findPerson, findPersonById } from './people/find-person.ts'
import { type Membership, nextStep, type Person, passwordsOf } from './people/rules.ts'
import { openedByCredential, passwordDigest } from './people/session-credential.ts'
import { traceFailure } from './sign-ins/audit.ts'
import { deviceCookieOf, digestOfDeviceCookie, newDeviceCookie } from './sign-ins/browsers.ts'
import { addPending, endPending, furtherPending, type Pending } from './sign-ins/pending.ts'
import { closeSession, openSession } from './sign-ins/session-life.ts'
import { countAttempt } from './sign-ins/throttling.ts'
import type { Issued } from './sign-on/sealed.ts'

// A sign-in goes from a verified credential through the steps of `nextStep` to a session of one membership. Every way
// to verify a person, such as a password, ends in `proceed`.

const SignIn = z.object({ email: z.email().max(254), password: z.string().min(1).max(PASSWORD_MAX) })

/** Client of a request: its canonical IP address, its user agent, and its Cookie header. */
export type BrowserClient = { address: string; userAgent: string; cookies: string }

/**
 * `refused`: unknown, disabled and wrong are answered alike, in the same time (user enumeration). `throttled`: rejected
 * before the comparison, with the wait in seconds. `pending`: a further step is required, identified by this id as a
 * cookie, unless the browser has it already.
 */
export type SignedIn =
  | { kind: 'signed-in'; sid: string; deviceCookie: string }
  | { kind: 'pending'; id?: string }
  | { kind: 'throttled'; seconds: number }
  | { kind: 'refused' }

export const DENIED: SignedIn = { kind: 'refused' }

/**
 * Verifies an email address and a password. Opens a session and ends the browser's former one, or returns the next
 * step.
 * @returns the new session's id and the device cookie, for the browser's cookies
 * @throws Problem `service_unavailable`, where too many attempts run concurrently
 */
export async function signIn(credentials: unknown, client: BrowserClient): Promise<SignedIn> {
  const leave = await acquireSignIn(deviceCookieOf(client.cookies) === undefined ? 'strangers' : 'marked')
  return tried(credentials, client).finally(leave)
}

async function tried(credentials: unknown, client: BrowserClient): Promise<SignedIn> {
  const parsed = SignIn.safeParse(credentials)
  if (!parsed.success) return DENIED
  const { email, password } = parsed.data
  const browser = browserOf(client)
  const person = await findPerson(email, browser)
  const at = person?.memberships.filter(({ isRecognized }) => isRecognized).map((one) => one.customerId) ?? []
  const recognizedBrowser = browser !== undefined && at.length > 0 ? { digest: browser, at } : undefined
  const attempt = await countAttempt(email, { address: client.address, recognizedBrowser })
  if (attempt.kind === 'throttled') {
    traceFailure(person, 'throttled')
    return attempt
  }
  const hash = await fittingOf(password, person ? passwordsOf(person) : [], recognizedBrowser !== undefined)
  const credentialDigest = hash === undefined ? undefined : passwordDigest(hash)
  if (
    !person ||
    credentialDigest === undefined ||
    openedByCredential(credentialDigest, person).length === 0
  ) {
    traceFailure(person, 'failed')
    return DENIED
  }
  await attempt.refund()
  return proceed(person, { proof: credentialDigest, proven: ['password'] }, client)
}

/** Verified credential of a person; `issued` where an identity provider has verified it. */
type VerifiedCredential = { proof: string; proven: readonly string[]; issued?: Issued | undefined }

/** Continues after a verified credential: opens a session, or starts a pending sign-in. */
export async function proceed(
  person: Person,
  credential: VerifiedCredential,
  client: BrowserClient,
): Promise<SignedIn> {
  const step = nextStep({
    memberships: openedByCredential(credential.proof, person),
    proven: credential.proven,
  })
  if (step.kind === 'refuse') return DENIED
  if (step.kind === 'open') return open(step.membership, credential, client)
  const { personId } = person
  // The trigger that adds people has an id for the member, unless the backfill has not reached them yet.
  if (personId === null) throw new Error('A member who has a step to go has no person.')
  return { kind: 'pending', id: await addPending({ personId, ...credential }) }
}

/**
 * Continues after a step: opens a session, or returns the next step.
 * @param picked id of the chosen customer, where one was chosen
 */
export async function goOn(
  pending: Pending,
  client: BrowserClient,
  picked = pending.picked,
): Promise<SignedIn> {
  const person = await findPersonById(pending.personId, browserOf(client))
  const memberships = person ? openedByCredential(pending.proof, person) : []
  const step = nextStep({ memberships, proven: pending.proven, picked })
  if (step.kind === 'refuse') return DENIED
  if (step.kind === 'open') {
    const ended = await endPending(pending)
    return ended ? open(step.membership, { ...pending, ...ended }, client) : DENIED
  }
  if (step.kind === 'pick' && picked !== undefined) return DENIED
  return (await furtherPending(pending, { picked })) ? { kind: 'pending' } : DENIED
}

/** Opens a session of a membership, and ends the browser's former one. @param since see `addSession` */
export async function open(
  membership: Membership,
  { proof, proven, issued }: VerifiedCredential,
  client: BrowserClient,
  since?: Date,
): Promise<SignedIn> {
  const before = await session(cookiesOf(client))
  const deviceCookie = deviceCookieOf(client.cookies) ?? newDeviceCookie()
  const { address, userAgent } = client
  const opening = {
    proof,
    proven,
    issued,
    address,
    userAgent,
    deviceCookie,
    ...(since ? { since } : {}),
  }
  const sid = await openSession(membership, opening)
  if (sid === undefined) return DENIED
  // The former customer's audit event does not name the next customer.
  const why = before?.customerId === membership.customerId ? 'signed in again' : 'signed out'
  if (before?.session) await closeSession(before, before.session, why)
  return { kind: 'signed-in', sid, deviceCookie }
}

export const cookiesOf = ({ cookies }: BrowserClient) => ({
  get: (name: string) => (name === 'cookie' ? cookies : null),
})

export function browserOf({ cookies }: BrowserClient): string | undefined {
  const deviceCookie = deviceCookieOf(cookies)
  return deviceCookie && digestOfDeviceCookie(deviceCookie)
}

const BOUNDS = { waiting: 60, timeoutMs: 5000 }

/**
 * Limits concurrent attempts, each of which takes a database connection for account lookups and a thread. Unknown
 * browsers, possibly from a thousand addresses (credential stuffing), have their own limit, so that browsers with a
 * device cookie of any account keep theirs: nothing but the cookie is known before the lookup.
 */
const gates = { strangers: gate({ atOnce: 2, ...BOUNDS }), marked: gate({ atOnce: 2, ...BOUNDS }) }

/**
 * Waits for a slot to sign in. The returned function releases the slot.
 * @throws Problem `service_unavailable`, where too many wait or the wait took too long
 */
function acquireSignIn(who: keyof typeof gates): Promise<() => void> {
  return gates[who]()
}
