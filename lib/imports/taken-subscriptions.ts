import 'server-only'
import { and, eq, inArray, ne, sql } from 'drizzle-orm'
import { type AtVendor, holdersOf } from '#lib/licenses/vendor-readings/holders.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { assets } from '#lib/platform/db/schema/assets.ts'
import { builtIn } from '#lib/vendors/built-in.ts'
import type { AssetValues } from './asset-differences.ts'
import type { ImportProblem } from './refused.ts'

type Held = AssetValues & AtVendor

/**
 * The assets whose subscription stands in another asset already: of this customer, of another one, or of the same file.
 * The operator is told which. A unique index holds it, whatever comes at the same moment.
 */
export async function takenAmong(
  tx: Transaction,
  customerId: CustomerId,
  values: readonly AssetValues[],
): Promise<ImportProblem[]> {
  const held = values.filter((one): one is Held => one.vendor !== builtIn.name && one.subscriptionId !== null)
  if (held.length === 0) return []
  // Those of this customer as this import has them by now; those of others as they are committed.
  const own = await ownHolders(tx, customerId, held)
  const others = (await holdersOf(held)).filter((holder) => holder.customerId !== customerId)
  const takers = new Map<string, { assetId: string; of: string }>()
  for (const holder of others) {
    takers.set(nameOf(holder), { assetId: holder.assetId, of: ` of the customer ${holder.customerId}` })
  }
  for (const holder of own) takers.set(nameOf(holder), { assetId: holder.assetId, of: '' })
  return held.flatMap((one) => {
    const taker = takers.get(nameOf(one))
    if (!taker) takers.set(nameOf(one), { assetId: one.id, of: '' })
    if (!taker || (taker.assetId === one.id && taker.of === '')) return []
    const reason = `it stands in the asset ${taker.assetId}${taker.of} already`
    return [{ subject: `asset ${one.id}`, column: 'subscriptionId', reason }]
  })
}

async function ownHolders(tx: Transaction, customerId: CustomerId, held: readonly Held[]) {
  const { vendor, vendorAccount, vendorCustomerId, subscriptionId, id: assetId } = assets
  const ids = held.map((one) => one.subscriptionId.toLowerCase())
  const rows = await tx
    .select({ vendor, vendorAccount, vendorCustomerId, subscriptionId, assetId })
    .from(assets)
    .where(
      and(
        eq(assets.customerId, customerId),
        ne(vendor, builtIn.name),
        inArray(sql`lower(${subscriptionId})`, ids),
      ),
    )
  return rows.flatMap((row) =>
    row.subscriptionId === null ? [] : [{ ...row, subscriptionId: row.subscriptionId }],
  )
}

/** Microsoft takes capital and small letters for the same. */
function nameOf({ vendor, vendorAccount, vendorCustomerId, subscriptionId }: AtVendor): string {
  return JSON.stringify([vendor, vendorAccount, vendorCustomerId, subscriptionId]).toLowerCase()
}
