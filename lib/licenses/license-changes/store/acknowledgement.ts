import 'server-only'
import { and, eq, isNull, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { licenseChanges } from '#lib/platform/db/schema/license-changes.ts'
import type { Actor } from '#lib/platform/history/audit.ts'
import { own, recordTransition } from './transitions.ts'

/**
 * Writes who has checked an unclear change, and the audit row of that. The asset's row is locked.
 * @returns whether there was something to write: the change is unclear, and nobody had checked it
 */
export async function writeAcknowledgement(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  { actor, requestId }: { actor: Actor; requestId: string },
): Promise<boolean> {
  const { state, acknowledgedAt } = licenseChanges
  const [change] = await tx
    .update(licenseChanges)
    .set({
      acknowledgedAt: sql`statement_timestamp()`,
      acknowledgedByKind: actor.kind,
      acknowledgedById: actor.id,
      acknowledgedByName: actor.name,
    })
    .where(and(own(customerId, id), eq(state, 'UNCLEAR'), isNull(acknowledgedAt)))
    .returning()
  if (!change) return false
  const by = { actorKind: actor.kind, actorId: actor.id, actorName: actor.name }
  await recordTransition(tx, customerId, { ...change, ...by, state: 'acknowledged' }, requestId)
  return true
}
