import 'server-only'
import { randomBytes } from 'node:crypto'
import type { Transaction } from '#lib/db/client.ts'
import { scope } from '#lib/db/scope.ts'
import { noteCaller } from '#lib/visit.ts'
import { digestOf } from '../api-key.ts'
import { readPasswordHash } from '../password.ts'
import type { Caller } from '../rules.ts'
import { addSession, endSession, findSessionCaller } from '../session.ts'
import { tellMember } from './account-mail.ts'
import { digestOfMark } from './browser-mark.ts'
import { knowBrowser } from './known-browsers.ts'
import type { SignInRow } from './look-up.ts'
import { traceSession } from './traces.ts'

/**
 * Opens a session, in whose transaction the browser becomes a known one.
 * @returns its id; undefined where the password was changed while it was compared: the sessions of before have been ended
 */
export async function openSession(
  { customerId, memberId, name, passwordHash }: SignInRow,
  { address, userAgent }: { address: string; userAgent: string },
  mark: string,
): Promise<string | undefined> {
  const sid = randomBytes(32).toString('base64url')
  const browser = digestOfMark(mark)
  const digest = digestOf(sid)
  const open = async (tx: Transaction) => {
    if ((await readPasswordHash(tx, customerId, memberId)) !== passwordHash) return undefined
    noteCaller({ id: memberId, customerId, session: digest })
    await addSession(tx, customerId, memberId, { digest, address, userAgent, browser })
    await traceSession(tx, { customerId, memberId, name }, 'opened')
    const isNew = await knowBrowser(tx, customerId, memberId, browser)
    if (isNew) await tellMember(tx, customerId, memberId, 'new-device', { address, userAgent })
    return sid
  }
  return scope({ customerId }, open, { evenIfClosed: true })
}

/** Ends a session, and says why. */
export function closeSession(caller: Caller, digest: string, why: string): Promise<void> {
  const { customerId, id: memberId, name } = caller
  const end = async (tx: Transaction) => {
    await endSession(tx, customerId, digest)
    await traceSession(tx, { customerId, memberId, name }, 'ended', why)
  }
  return scope(caller, end, { evenIfClosed: true })
}

/** Ends the session with this id; the cookie of an ended session opens nothing. */
export async function signOut(id: string): Promise<void> {
  const caller = await findSessionCaller(digestOf(id))
  if (!caller) return
  noteCaller(caller)
  await closeSession(caller, digestOf(id), 'signed out')
}
