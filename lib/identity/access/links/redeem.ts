import 'server-only'
import { randomUUID } from 'node:crypto'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { recordAudit } from '#lib/platform/history/audit.ts'
import { noteCaller, visit } from '#lib/platform/runtime/log.ts'
import { faultOf } from '../passwords/check.ts'
import { hashPassword, passwordFits, saltOf } from '../passwords/hash.ts'
import { keepApart, setPasswordHash, setPersonHash, takeUp } from '../passwords/set.ts'
import {
  beginAnew,
  changePerson,
  checkStillOpen,
  type Locked,
  type Part,
  standingOf,
} from '../people/change.ts'
import { type Membership, type Person, presentOf } from '../people/rules.ts'
import { countAttempt, countSetting } from '../sign-ins/budgets.ts'
import { findLink, findPersonOfLink, type Link, membershipOf } from './look-up.ts'
import { recoverBy } from './recoveries.ts'
import { reachOfLink } from './rules.ts'
import { spendLink } from './store.ts'

/** How a link is redeemed: with a password that is chosen now, or with one that its person has already. */
export type Redeeming = { secret: string; password: string; isNew: boolean }

/**
 * Redeems a link, once. It opens no session: whoever has redeemed one signs in.
 * @returns the address to sign in with
 * @throws Problem `not_found` where it can't be used (any more), `invalid_request` at the password, `rate_limited`
 */
export async function redeemLink({ secret, password, isNew }: Redeeming): Promise<string> {
  const link = await findLink(secret)
  const person = link?.state === 'open' ? await findPersonOfLink(link) : undefined
  const membership = link && person && membershipOf(link, person)
  if (!link || !person || !membership) throw gone()
  const parts = isNew
    ? await partsOfNew(link, { person, membership }, password)
    : await partsOfPresent(link, { person, membership }, password)
  const isDone = await changePerson(
    () => findPersonOfLink(link),
    async (tx, locked) => {
      const own = membershipOf(link, locked)
      if (!own) throw gone()
      if (link.kind === 'recovery' && !(await recoverBy(tx, link.id))) throw gone()
      return parts(tx, locked, own)
    },
  )
  if (!isDone) throw gone()
  return membership.email
}

type Whose = { person: Person; membership: Membership }
type Decide = (tx: Transaction, person: Locked, own: Membership) => Promise<Part[]>

/** A new password: of the membership alone, or of its person, all of whose sessions end then. */
async function partsOfNew(link: Link, { person, membership }: Whose, password: string): Promise<Decide> {
  const fault = await faultOf(password, membership)
  if (fault !== undefined) throw refusedAt('/password', fault)
  const hash = await hashPassword(password, saltOf(person))
  return async (tx, locked, own) => {
    const hasPassword = presentOf(locked) !== undefined
    const [standing, { kind, isMailed }] = [standingOf(locked), link]
    const isAway = standing === 'away'
    const reach = reachOfLink(kind, { isMailed, hasPassword, isAway })
    if (reach === 'membership') {
      const wait = await countSetting(own.customerId, own.email)
      if (wait > 0) throw tooOften(wait)
      // Each that its person can enter has a password of its own then.
      const all = locked.memberships.filter((one) => !one.isDisabled && !one.isInvited && !one.isSignOnOnly)
      const theirs = kind === 'recovery' ? all : [own]
      return theirs.map((one) => partOf(link, one, { hash, isApart: !isMailed || isAway }))
    }
    if (standing === 'gone') await beginAnew(tx, locked.personId)
    await setPersonHash(tx, locked.personId, hash)
    // An invitation elsewhere waits for its own link.
    const others =
      kind === 'invitation' ? [] : locked.memberships.filter((one) => !one.isInvited && !one.isSignOnOnly)
    return [...new Set([own, ...others])].map((one) => partOf(link, one, { hash: null }))
  }
}

/** With the password that its person has already, a membership is taken up: that password opens it from now on. */
async function partsOfPresent(link: Link, { person, membership }: Whose, password: string): Promise<Decide> {
  if (link.kind !== 'invitation') throw refusedAt('/isNew', 'must be true: this link sets a new password')
  const address = visit()?.address ?? ''
  const attempt = await countAttempt(membership.email, { address, knownBrowser: undefined })
  if (attempt.kind === 'throttled') throw tooOften(attempt.seconds)
  const present = presentOf(person)
  if (!(await passwordFits(password, present)))
    throw refusedAt('/password', 'is not the one that you have here')
  await attempt.forgive()
  return async (_, locked, own) => {
    // Changed meanwhile.
    if (presentOf(locked) !== present) throw refusedAt('/password', 'is not the one that you have here')
    return [partOf(link, own, { hash: null, isPresent: true })]
  }
}

/** What redeeming does to one membership, with its row in that customer's history. */
function partOf(
  link: Link,
  { customerId, memberId, name, isInvited }: Membership,
  {
    hash,
    isPresent = false,
    isApart = false,
  }: { hash: string | null; isPresent?: boolean; isApart?: boolean },
): Part {
  const isLinks = link.kind !== 'recovery' && link.customerId === customerId
  const action = isInvited ? 'invitation.accepted' : 'password.set'
  return {
    customerId,
    async run(tx) {
      if (isInvited) await checkStillOpen(tx, customerId)
      // The member first, as whoever makes or withdraws a link does.
      if (isPresent) await takeUp(tx, customerId, memberId, hash)
      else await setPasswordHash(tx, customerId, memberId, hash, { from: device() })
      if (isInvited && !isPresent) await takeUp(tx, customerId, memberId)
      if (isInvited && isApart) await keepApart(tx, customerId, memberId)
      if (isLinks && !(await spendLink(tx, customerId, link.id))) throw gone()
      noteCaller({ id: memberId, customerId })
      const actor = { kind: 'member', id: memberId, name } as const
      const details = { by: link.isMailed ? 'mailed link' : 'link' }
      const event = {
        action,
        subject: memberId,
        actor,
        requestId: visit()?.requestId ?? randomUUID(),
        details,
      }
      await recordAudit(tx, customerId, event)
    },
  }
}

function device() {
  const here = visit()
  return here && { address: here.address, userAgent: here.agent ?? '' }
}

function gone(): Problem {
  return new Problem('not_found', 'This link is not valid any more. Ask for a new one.')
}

function tooOften(seconds: number): Problem {
  const headers = { 'Retry-After': String(seconds) }
  return new Problem('rate_limited', 'It was tried too often. Wait before you try again.', { headers })
}

function refusedAt(pointer: string, detail: string): Problem {
  return new Problem('invalid_request', detail, { errors: [{ pointer, detail }] })
}
