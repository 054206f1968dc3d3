import 'server-only'
import { and, eq } from 'drizzle-orm'
import type { Transaction } from '#lib/db/client.ts'
import { accountMails, sessions } from '#lib/db/schema/access/sign-ins.ts'
import { env } from '#lib/env.ts'
import type { CustomerId } from '../rules.ts'

/** What a member is told of by mail. */
export type AccountEvent =
  | 'new-password'
  | 'new-device'
  | 'factor-added'
  | 'factor-removed'
  | 'factors-reset'
  | 'recovery-code-used'
  | 'key-ends'
  | 'key-leaked'

/** The device of a session, for the mail that tells what was done in it. */
export async function deviceOfSession(tx: Transaction, customerId: CustomerId, digest: string) {
  const { address, userAgent } = sessions
  const own = and(eq(sessions.customerId, customerId), eq(sessions.digest, digest))
  const [found] = await tx.select({ address, userAgent }).from(sessions).where(own)
  return found && { address: found.address ?? '', userAgent: found.userAgent ?? '' }
}

/**
 * Writes down that a member is to be told by mail, in the transaction of what it tells of; a job sends it. Nothing where
 * no mail server is set.
 * @param from where it came from, where that is known
 */
export async function tellMember(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  event: AccountEvent,
  from: { address: string; userAgent: string } | undefined = undefined,
): Promise<void> {
  if (env().mail) await tx.insert(accountMails).values({ customerId, memberId, event, ...from })
}
