import 'server-only'
import { and, eq, ne } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { endSessions } from '#lib/platform/caller/session.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { people } from '#lib/platform/db/schema/access/people.ts'
import { sessions } from '#lib/platform/db/schema/access/sign-ins.ts'
import { members } from '#lib/platform/db/schema/customers.ts'
import { recordMemberChange } from '#lib/platform/outbox/events.ts'
import { deviceOfSession, notifyMember } from '../sign-ins/account-mail.ts'
import { forgetBrowsers } from '../sign-ins/browsers.ts'

/** Device at which a password was set, as named in the mail about it. */
export type Device = { address: string; userAgent: string }

/**
 * Sets a membership's own password; null removes it, so that its person's password opens the membership. Ends the
 * member's sessions and forgets the account's known browsers, except for the session `exceptSession` and its browser.
 * Notifies the member by mail.
 */
export async function setPasswordHash(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  {
    hash,
    exceptSession = '',
    from,
  }: { hash: string | null; exceptSession?: string; from?: Device | undefined },
): Promise<void> {
  await setMembershipHash(tx, customerId, memberId, hash)
  await forgetBrowsers(tx, customerId, memberId, exceptSession)
  await endSessions(tx, customerId, and(eq(sessions.memberId, memberId), ne(sessions.digest, exceptSession)))
  const device =
    from ?? (exceptSession === '' ? undefined : await deviceOfSession(tx, customerId, exceptSession))
  await notifyMember(tx, customerId, memberId, { event: 'new-password', from: device })
}

/**
 * Sets or removes the password of a person, in the scope of one of their customers. It opens the memberships without a
 * password of their own.
 */
export async function setPersonHash(tx: Transaction, personId: string, hash: string | null): Promise<void> {
  const { rowCount } = await tx.update(people).set({ passwordHash: hash }).where(eq(people.id, personId))
  if (rowCount !== 1) throw new Error('A person is changed in the scope of one of their customers.')
}

/**
 * Accepts a membership: its person can sign in there from now on.
 * @param hash the membership's own password; null: the person's password opens it; undefined: unchanged
 */
export async function acceptMembership(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  hash?: string | null,
): Promise<void> {
  if (hash !== undefined) await setMembershipHash(tx, customerId, memberId, hash)
  const memberFilter = and(eq(members.customerId, customerId), eq(members.id, memberId))
  await tx.update(members).set({ invitedAt: null }).where(memberFilter)
  recordMemberChange(tx, customerId, memberId)
}

/**
 * Isolates a membership: its person's password and factors do not count here, and are not asked for, until the person's
 * password is set for it.
 */
export async function isolateMembership(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
): Promise<void> {
  const memberFilter = and(eq(members.customerId, customerId), eq(members.id, memberId))
  await tx.update(members).set({ factorsApart: true }).where(memberFilter)
}

async function setMembershipHash(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  hash: string | null,
) {
  const memberFilter = and(eq(members.customerId, customerId), eq(members.id, memberId))
  // The person's password opens the membership, so the person's factors are required.
  const isolation = hash === null ? { factorsApart: false } : {}
  await tx
    .update(members)
    .set({ passwordHash: hash, ...isolation })
    .where(memberFilter)
}
