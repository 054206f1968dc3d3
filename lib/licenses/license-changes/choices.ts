import 'server-only'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { assets } from '#lib/platform/db/schema/assets.ts'
import { readScope, readScopeAtOnce } from '#lib/platform/db/scope.ts'

/** Changes from which the choices of a filter come. */
const RECENT = 1000

const recent = (customerId: CustomerId) => sql`
  SELECT actor_id, actor_kind, actor_name, asset_id, created_at FROM license_changes
  WHERE customer_id = ${customerId} ORDER BY created_at DESC LIMIT ${RECENT}`

/** Returns the actors and assets of the newest changes: choices of filters. */
export function readChoices({ customerId }: { customerId: CustomerId }) {
  return readScope({ customerId }, async (tx) => ({
    people: await listRecentActors(tx, customerId),
    products: await listRecentAssets(tx, customerId),
  }))
}

/** Returns the names of the assets with these ids, of those that exist. */
export async function readAssetNames(
  { customerId }: { customerId: CustomerId },
  ids: readonly string[],
): Promise<Record<string, string>> {
  const rows = await readScopeAtOnce({ customerId }, (tx) => listAssetNames(tx, customerId, ids))
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]))
}

/** Returns the actors of the newest changes, by name. */
async function listRecentActors(tx: Transaction, customerId: CustomerId) {
  const { rows } = await tx.execute<{ id: string; kind: string; name: string }>(sql`
    SELECT DISTINCT ON (actor_id) actor_id AS id, actor_kind AS kind, actor_name AS name
    FROM (${recent(customerId)}) AS recent ORDER BY actor_id, created_at DESC`)
  return rows.sort(byName)
}

/** Returns the assets of the newest changes, by name. */
async function listRecentAssets(tx: Transaction, customerId: CustomerId) {
  const { rows } = await tx.execute<{ id: string; name: string }>(sql`
    SELECT a.id, a.name FROM (SELECT DISTINCT asset_id FROM (${recent(customerId)}) AS recent) AS changed
    JOIN assets a ON a.customer_id = ${customerId} AND a.id = changed.asset_id`)
  return rows.sort(byName)
}

function listAssetNames(tx: Transaction, customerId: CustomerId, ids: readonly string[]) {
  return tx
    .select({ id: assets.id, name: assets.name })
    .from(assets)
    .where(and(eq(assets.customerId, customerId), inArray(assets.id, [...ids])))
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1
}
