import 'server-only'
import { type Algorithm, hash, verify } from '@node-rs/argon2'
import { and, eq, ne } from 'drizzle-orm'
import type { Transaction } from '#lib/db/client.ts'
import { members } from '#lib/db/schema/customers.ts'
import { sessions } from '#lib/db/schema/sign-ins.ts'
import type { CustomerId } from './rules.ts'
import { endSessions } from './session.ts'
import { deviceOfSession, tellMember } from './sign-ins/account-mail.ts'
import { forgetBrowsers } from './sign-ins/known-browsers.ts'
import { findPasswordHash } from './sign-ins/look-up.ts'

// OWASP's second choice of parameters: 19 MiB, 2 passes, 1 lane.
const OPTIONS = { algorithm: 2 satisfies Algorithm, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Argon2id of a password, with its own salt and parameters in the text. */
export function hashPassword(password: string): Promise<string> {
  return hash(password.normalize('NFC'), OPTIONS)
}

let decoy: Promise<string> | undefined

/** Whether the password fits. Takes the same time where there is no hash, so that names can't be probed. */
export async function passwordFits(password: string, known: string | null | undefined): Promise<boolean> {
  decoy ??= hashPassword('nobody has this password')
  const fits = await verify(known ?? (await decoy), password.normalize('NFC'))
  return known ? fits : false
}

/**
 * The present password hash of a member, who stays locked until the transaction ends. The hash itself is read as the
 * login that may see it.
 */
export async function readPasswordHash(tx: Transaction, customerId: CustomerId, memberId: string) {
  const own = and(eq(members.customerId, customerId), eq(members.id, memberId))
  await tx.select({ id: members.id }).from(members).where(own).for('no key update')
  return findPasswordHash(customerId, memberId)
}

/**
 * Sets a password, ends the member's sessions, and forgets the browsers that the account knows, but for the session named
 * `keep` and its browser. The member is told by mail.
 */
export async function setPasswordHash(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  hash: string,
  keep = '',
) {
  await tx
    .update(members)
    .set({ passwordHash: hash })
    .where(and(eq(members.customerId, customerId), eq(members.id, memberId)))
  await forgetBrowsers(tx, customerId, memberId, keep)
  await endSessions(tx, customerId, and(eq(sessions.memberId, memberId), ne(sessions.digest, keep)))
  const device = keep === '' ? undefined : await deviceOfSession(tx, customerId, keep)
  await tellMember(tx, customerId, memberId, 'new-password', device)
}
