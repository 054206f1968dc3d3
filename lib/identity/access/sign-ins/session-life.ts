import 'server-only'
import { and, eq } from 'drizzle-orm'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { addSession, endSession, findSessionCaller, newSessionId } from '#lib/platform/caller/session.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { members } from '#lib/platform/db/schema/customers.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { noteCaller } from '#lib/platform/runtime/log.ts'
import { needOf } from '../factors/rules.ts'
import { lockPerson } from '../people/change.ts'
import { findPersonOf } from '../people/find-person.ts'
import type { Membership } from '../people/rules.ts'
import { openedByCredential } from '../people/session-credential.ts'
import type { Issued } from '../sign-on/sealed.ts'
import { saveOpening } from '../sign-on/sessions.ts'
import { notifyMember } from './account-mail.ts'
import { traceSession } from './audit.ts'
import { digestOfDeviceCookie, knowBrowser } from './browsers.ts'

/** Details with which a session is opened. */
export type Opening = {
  proof: string
  /** All verified methods. */
  proven: readonly string[]
  address: string
  userAgent: string
  /** Device cookie of the browser. */
  deviceCookie: string
  /** When the replaced session was opened: the new session ends no later than that one. */
  since?: Date
  /** ID token of the sign-in, where an identity provider has verified it. */
  issued?: Issued | undefined
}

/**
 * Opens a session, and adds the browser to the known ones in the same transaction.
 * @returns its id; undefined where the credential does not open the membership any more: the password was changed, for
 * example, or a second factor set up, which ended the earlier sessions
 */
export async function openSession(
  { customerId, memberId, name }: Membership,
  { proof, proven, address, userAgent, deviceCookie, since, issued }: Opening,
): Promise<string | undefined> {
  const sid = newSessionId()
  const browser = digestOfDeviceCookie(deviceCookie)
  const digest = digestOf(sid)
  const open = async (tx: Transaction) => {
    await lockPerson(tx, customerId, memberId, 'to enter')
    const memberFilter = and(eq(members.customerId, customerId), eq(members.id, memberId))
    await tx.select({ id: members.id }).from(members).where(memberFilter).for('no key update')
    const person = await findPersonOf(customerId, memberId)
    const opened = person ? openedByCredential(proof, person) : []
    const now = opened.find((one) => one.customerId === customerId)
    if (!now || needOf(now, proven) !== 'nothing') return undefined
    noteCaller({ id: memberId, customerId, session: digest })
    await addSession(tx, customerId, memberId, {
      digest,
      address,
      userAgent,
      browser,
      proof,
      proven: [...proven],
      since,
    })
    if (issued) await saveOpening(tx, customerId, digest, issued)
    await traceSession(tx, { customerId, memberId, name }, 'opened')
    const isNew = await knowBrowser(tx, customerId, memberId, browser)
    if (isNew)
      await notifyMember(tx, customerId, memberId, { event: 'new-device', from: { address, userAgent } })
    return sid
  }
  return scope({ customerId }, open, { evenIfClosed: true })
}

/** Ends a session, and records the reason. */
export function closeSession(caller: Caller, digest: string, why: string): Promise<void> {
  const { customerId, id: memberId, name } = caller
  const end = async (tx: Transaction) => {
    await endSession(tx, customerId, digest)
    await traceSession(tx, { customerId, memberId, name }, 'ended', why)
  }
  return scope(caller, end, { evenIfClosed: true })
}

/** Ends the session with this id. */
export async function signOut(id: string): Promise<void> {
  const caller = await findSessionCaller(digestOf(id))
  if (!caller) return
  noteCaller(caller)
  await closeSession(caller, digestOf(id), 'signed out')
}
