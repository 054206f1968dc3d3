import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import { forgetBrowsersOf } from '#lib/identity/access/sign-ins/browsers.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { endSessions, isLive } from '#lib/platform/caller/session.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { sessions } from '#lib/platform/db/schema/access/sign-ins.ts'
import { members } from '#lib/platform/db/schema/customers.ts'
import { byCreation, type Cursor, pageByKey } from '#lib/platform/lists/paging.ts'

/** Sessions of a statement: all of the customer's, or one member's. */
type SessionScope = 'all' | { memberId: string }

export type SessionRow = Awaited<ReturnType<typeof listSessions>>[number]

/** Returns the sort key of a session, for page tokens. */
export function keyOfSession({ micros, id }: SessionRow): string[] {
  return [micros, id]
}

/**
 * Lists the sessions that have not ended, in reading direction from the cursor: newest first, or oldest first for a
 * cursor that leads back.
 */
export async function listSessions(
  tx: Transaction,
  customerId: CustomerId,
  sessionScope: SessionScope,
  { limit, cursor }: { limit: number; cursor?: Cursor | undefined },
) {
  const { columns, micros } = byCreation(sessions.createdAt, sessions.digest)
  const { beyond, order } = pageByKey(columns, cursor)
  return tx
    .select({
      id: sessions.digest,
      memberId: members.id,
      memberName: members.name,
      memberEmail: members.email,
      address: sessions.address,
      userAgent: sessions.userAgent,
      createdAt: sessions.createdAt,
      lastSeenAt: sessions.lastSeenAt,
      micros,
    })
    .from(sessions)
    .innerJoin(members, and(eq(members.customerId, sessions.customerId), eq(members.id, sessions.memberId)))
    .where(and(within(customerId, sessionScope), sql.raw(isLive('sessions')), beyond))
    .orderBy(order)
    .limit(limit)
}

/**
 * Ends a session, and removes its browser from the known ones of the account.
 * @returns its member; undefined where no open session of the scope has this id
 */
export async function endSessionById(
  tx: Transaction,
  customerId: CustomerId,
  sessionScope: SessionScope,
  id: string,
): Promise<string | undefined> {
  const its = and(within(customerId, sessionScope), eq(sessions.digest, id), sql.raw(isLive('sessions')))
  const memberIds = () => tx.select({ memberId: sessions.memberId }).from(sessions).where(its)
  const [session] = await memberIds()
  if (!session) return undefined
  const { memberId } = session
  // Locks the member first, like setting a password does; of two concurrent requests, the second one finds the session
  // ended.
  const member = and(eq(members.customerId, customerId), eq(members.id, memberId))
  await tx.select({ id: members.id }).from(members).where(member).for('no key update')
  if ((await memberIds()).length === 0) return undefined
  await forgetBrowsersOf(tx, customerId, its)
  await endSessions(tx, customerId, its)
  return memberId
}

function within(customerId: CustomerId, sessionScope: SessionScope) {
  const memberFilter = sessionScope === 'all' ? undefined : eq(sessions.memberId, sessionScope.memberId)
  return and(eq(sessions.customerId, customerId), memberFilter)
}
