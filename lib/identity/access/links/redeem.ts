import 'server-only'
import { randomUUID } from 'node:crypto'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { recordAudit } from '#lib/platform/history/audit.ts'
import { noteCaller, requestContext } from '#lib/platform/runtime/log.ts'
import { checkPassword } from '../passwords/check.ts'
import { hashPassword, passwordFits, saltOf } from '../passwords/hash.ts'
import { acceptMembership, isolateMembership, setPasswordHash, setPersonHash } from '../passwords/set.ts'
import {
  changePerson,
  checkStillOpen,
  type Locked,
  type MembershipTask,
  personStatusOf,
  resetPerson,
} from '../people/change.ts'
import { type Membership, type Person, presentOf } from '../people/rules.ts'
import { countAttempt, countSetting } from '../sign-ins/throttling.ts'
import { findLink, findPersonOfLink, type Link, membershipOf } from './find-link.ts'
import { recoverBy } from './recoveries.ts'
import { passwordScopeOf } from './rules.ts'
import { consumeLink } from './store.ts'

/** Redemption of a link, with a new password or with the person's present one. */
export type Redeeming = { secret: string; password: string; isNew: boolean }

/**
 * Redeems a link once. Opens no session: the member signs in afterwards.
 * @returns the address to sign in with
 * @throws Problem `not_found` where the link is not valid (any more), `invalid_request` at the password, `rate_limited`
 */
export async function redeemLink({ secret, password, isNew }: Redeeming): Promise<string> {
  const link = await findLink(secret)
  const person = link?.state === 'open' ? await findPersonOfLink(link) : undefined
  const membership = link && person && membershipOf(link, person)
  if (!link || !person || !membership) throw linkExpired()
  const parts = isNew
    ? await partsOfNew(link, { person, membership }, password)
    : await partsOfPresent(link, { person, membership }, password)
  const isDone = await changePerson(
    () => findPersonOfLink(link),
    async (tx, locked) => {
      const lockedMembership = membershipOf(link, locked)
      if (!lockedMembership) throw linkExpired()
      if (link.kind === 'recovery' && !(await recoverBy(tx, link.id))) throw linkExpired()
      return parts(tx, locked, lockedMembership)
    },
  )
  if (!isDone) throw linkExpired()
  return membership.email
}

type Whose = { person: Person; membership: Membership }
type Decide = (tx: Transaction, person: Locked, lockedMembership: Membership) => Promise<MembershipTask[]>

/** Returns the changes for a new password: of the membership, or of its person, whose sessions all end then. */
async function partsOfNew(link: Link, { person, membership }: Whose, password: string): Promise<Decide> {
  const violation = await checkPassword(password, membership)
  if (violation !== undefined) throw invalidAt('/password', violation)
  const hash = await hashPassword(password, saltOf(person))
  return async (tx, locked, lockedMembership) => {
    const hasPassword = presentOf(locked) !== undefined
    const [personStatus, { kind, isMailed }] = [personStatusOf(locked), link]
    const isAway = personStatus === 'away'
    const passwordScope = passwordScopeOf(kind, { isMailed, hasPassword, isAway })
    if (passwordScope === 'membership') {
      const wait = await countSetting(lockedMembership.customerId, lockedMembership.email)
      if (wait > 0) throw tooOften(wait)
      // Each membership that the person can enter gets the password as its own.
      const all = locked.memberships.filter((one) => !one.isDisabled && !one.isInvited && !one.isSignOnOnly)
      const theirs = kind === 'recovery' ? all : [lockedMembership]
      return theirs.map((one) => taskFor(link, one, { hash, isIsolated: !isMailed || isAway }))
    }
    if (personStatus === 'gone') await resetPerson(tx, locked.personId)
    await setPersonHash(tx, locked.personId, hash)
    // Invitations of other customers are accepted by their own links.
    const others =
      kind === 'invitation' ? [] : locked.memberships.filter((one) => !one.isInvited && !one.isSignOnOnly)
    return [...new Set([lockedMembership, ...others])].map((one) => taskFor(link, one, { hash: null }))
  }
}

/**
 * Returns the changes that accept a membership with the person's present password, which opens the membership from then
 * on.
 */
async function partsOfPresent(link: Link, { person, membership }: Whose, password: string): Promise<Decide> {
  if (link.kind !== 'invitation') throw invalidAt('/isNew', 'must be true: this link sets a new password')
  const address = requestContext()?.address ?? ''
  const attempt = await countAttempt(membership.email, { address, recognizedBrowser: undefined })
  if (attempt.kind === 'throttled') throw tooOften(attempt.seconds)
  const present = presentOf(person)
  if (!(await passwordFits(password, present)))
    throw invalidAt('/password', 'is not the one that you have here')
  await attempt.refund()
  return async (_, locked, lockedMembership) => {
    // The password was changed since the comparison.
    if (presentOf(locked) !== present) throw invalidAt('/password', 'is not the one that you have here')
    return [taskFor(link, lockedMembership, { hash: null, isPresent: true })]
  }
}

/** Returns the change of one membership on redemption, with the audit event of its customer. */
function taskFor(
  link: Link,
  { customerId, memberId, name, isInvited }: Membership,
  {
    hash,
    isPresent = false,
    isIsolated = false,
  }: { hash: string | null; isPresent?: boolean; isIsolated?: boolean },
): MembershipTask {
  const isLinks = link.kind !== 'recovery' && link.customerId === customerId
  const action = isInvited ? 'invitation.accepted' : 'password.set'
  return {
    customerId,
    async run(tx) {
      if (isInvited) await checkStillOpen(tx, customerId)
      // Locks the member first, like the functions that make and withdraw links.
      if (isPresent) await acceptMembership(tx, customerId, memberId, hash)
      else await setPasswordHash(tx, customerId, memberId, { hash, from: device() })
      if (isInvited && !isPresent) await acceptMembership(tx, customerId, memberId)
      if (isInvited && isIsolated) await isolateMembership(tx, customerId, memberId)
      if (isLinks && !(await consumeLink(tx, customerId, link.id))) throw linkExpired()
      noteCaller({ id: memberId, customerId })
      const actor = { kind: 'member', id: memberId, name } as const
      const details = { by: link.isMailed ? 'mailed link' : 'link' }
      const event = {
        action,
        subject: memberId,
        actor,
        requestId: requestContext()?.requestId ?? randomUUID(),
        details,
      }
      await recordAudit(tx, customerId, event)
    },
  }
}

function device() {
  const here = requestContext()
  return here && { address: here.address, userAgent: here.agent ?? '' }
}

function linkExpired(): Problem {
  return new Problem('not_found', 'This link is no longer valid. Ask for a new one.')
}

function tooOften(seconds: number): Problem {
  const headers = { 'Retry-After': String(seconds) }
  return new Problem('rate_limited', 'It was tried too often. Wait before you try again.', { headers })
}

function invalidAt(pointer: string, detail: string): Problem {
  return new Problem('invalid_request', detail, { errors: [{ pointer, detail }] })
}
