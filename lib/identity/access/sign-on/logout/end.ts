import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, eq, inArray, isNull, or } from 'drizzle-orm'
import { endSessions } from '#lib/platform/caller/session.ts'
import { database, type Transaction } from '#lib/platform/db/client.ts'
import { sessions } from '#lib/platform/db/schema/access/sign-ins.ts'
import { signOnSessions } from '#lib/platform/db/schema/access/sign-on.ts'
import { members } from '#lib/platform/db/schema/customers.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { recordAudit } from '#lib/platform/history/audit.ts'
import { visit } from '#lib/platform/runtime/visit.ts'
import { issuerProofOf } from '../../people/proofs.ts'
import type { Provider } from '../look-up.ts'
import type { Logout } from './token.ts'

/**
 * Ends the sessions that a provider has opened, from the next request on: of a subject, or the one that the issuer names; of a
 * session that is not known by its name, those of the subject. A sign-in that is still on its way ends, too.
 * @returns how many sessions
 */
export async function endAtIssuer(
  { customerId, id: providerId }: Provider,
  { subject, issuerSession }: Omit<Logout, 'tokenId'>,
): Promise<number> {
  const proof = subject === undefined ? undefined : issuerProofOf(providerId, subject)
  await database().signIn.query(
    'DELETE FROM pending_sign_ins WHERE provider_id = $1 AND ($2::text IS NULL OR proof = $2)',
    [providerId, proof ?? null],
  )
  const run = async (tx: Transaction) => {
    const named = eq(signOnSessions.issuerSession, issuerSession ?? '')
    const which = and(
      eq(signOnSessions.customerId, customerId),
      eq(signOnSessions.providerId, providerId),
      issuerSession === undefined
        ? undefined
        : proof === undefined
          ? named
          : or(named, isNull(signOnSessions.issuerSession)),
      proof === undefined ? undefined : eq(sessions.proof, proof),
    )
    const found = await tx
      .select({ digest: sessions.digest, id: members.id, name: members.name, email: members.email })
      .from(signOnSessions)
      .innerJoin(
        sessions,
        and(eq(sessions.customerId, signOnSessions.customerId), eq(sessions.digest, signOnSessions.digest)),
      )
      .innerJoin(members, and(eq(members.customerId, sessions.customerId), eq(members.id, sessions.memberId)))
      .where(which)
    if (found.length === 0) return 0
    await endSessions(
      tx,
      customerId,
      inArray(
        sessions.digest,
        found.map(({ digest }) => digest),
      ),
    )
    for (const { id, name } of new Map(found.map((one) => [one.id, one])).values())
      await recordAudit(tx, customerId, {
        action: 'session.ended',
        subject: id,
        actor: { kind: 'member', id, name },
        requestId: visit()?.requestId ?? randomUUID(),
        details: { why: 'signed out at the issuer' },
      })
    return found.length
  }
  return scope({ customerId }, run, { evenIfClosed: true })
}
