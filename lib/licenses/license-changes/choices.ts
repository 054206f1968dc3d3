import 'server-only'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { readScope, readScopeAtOnce } from '#lib/platform/db/scope.ts'
import { listAssetNames, listRecentActors, listRecentAssets } from './store/choices.ts'

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
