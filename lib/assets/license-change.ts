import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import type { Actor } from '#lib/access/audit.ts'
import type { CustomerId } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'
import { licenseChanges } from '#lib/db/schema.ts'

/** A requested quantity and its fate, in the transaction that settles it. */
export async function addLicenseChange(
  tx: Transaction,
  customerId: CustomerId,
  change: {
    id?: string
    assetId: string
    from: number
    to: number
    state: 'APPLIED' | 'REJECTED'
    vendorReason?: string | undefined
    actor: Actor
    requestId: string
  },
): Promise<string> {
  const { id = randomUUID(), assetId, state, vendorReason, actor, requestId } = change
  await tx.insert(licenseChanges).values({
    ...{ customerId, id, assetId, state, requestId },
    fromQuantity: change.from,
    toQuantity: change.to,
    vendorReason: vendorReason ?? null,
    actorKind: actor.kind,
    actorId: actor.id,
    actorName: actor.name,
    settledAt: sql`now()`,
  })
  return id
}

/** Who changed the seats last, and when. */
export async function lastChange(tx: Transaction, customerId: CustomerId, assetId: string) {
  const own = and(eq(licenseChanges.customerId, customerId), eq(licenseChanges.assetId, assetId))
  const rows = await tx
    .select()
    .from(licenseChanges)
    .where(and(own, eq(licenseChanges.state, 'APPLIED')))
    .orderBy(sql`${licenseChanges.createdAt} desc`)
    .limit(1)
  return rows[0]
}
