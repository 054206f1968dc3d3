import 'server-only'
import type { CustomerId } from '#lib/access/rules.ts'
import type { Trace } from '#lib/api/operation.ts'
import type { AssetListItem } from '#lib/assets/contract.ts'
import type { AssetRow, ListRow, Page } from '#lib/assets/store.ts'
import type { Transaction } from '#lib/db/client.ts'
import { log } from '#lib/log.ts'
import { serializeOpenChange } from './serialize.ts'
import { settleChange } from './settling/settle.ts'
import { listBesideAssets, type OpenBeside, readBesideAsset } from './store/beside-assets.ts'

// What assets ask of changes: nothing else leads from there to here.

/** An asset and the change that is open there, as an item tells it. */
export type WithOpenChange = {
  asset: AssetRow
  openChange: AssetListItem['openChange']
  /** When its vendor last told of it; null where the books are ours. */
  observedAt: Date | null
  /** The id of that change, where it is time to ask what became of it. */
  due: string | undefined
}

/** The rows of `listAssets`, each with the change that is open there. */
export async function listWithOpenChange(
  tx: Transaction,
  customerId: CustomerId,
  ...page: Page
): Promise<(ListRow & WithOpenChange)[]> {
  const rows = await listBesideAssets(tx, customerId, ...page)
  return rows.map((row) => ({ ...told(row), micros: row.micros }))
}

/** One asset with the change that is open there. */
export async function readWithOpenChange(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
): Promise<WithOpenChange | undefined> {
  const row = await readBesideAsset(tx, customerId, id)
  return row && told(row)
}

function told({ asset, open, isDue, observedAt }: OpenBeside): WithOpenChange {
  return {
    asset,
    observedAt,
    openChange: open ? serializeOpenChange(open) : undefined,
    due: open && isDue ? open.id : undefined,
  }
}

/** A page may hold many open changes: the others have their turn with the next read, or the job. */
const MOST = 4

const running = new Set<string>()

/**
 * Has the vendor asked what became of open changes, because their assets are being read, and they are due. Nobody
 * waits for it: the next read tells. What fails stands in the log.
 */
export function settleOnRead(
  who: { customerId: CustomerId },
  rows: readonly Pick<WithOpenChange, 'due'>[],
  { requestId }: Trace,
): void {
  const due = rows.flatMap(({ due: id }) => (id !== undefined && !running.has(id) ? [id] : []))
  for (const id of due.slice(0, MOST)) {
    running.add(id)
    settleChange(who, id, requestId)
      .catch((error: Error) => {
        // The cause says why; the error around it would repeat the statement.
        const reason = String(error.cause ?? error).slice(0, 300)
        log().warn({ requestId, changeId: id, reason }, 'change not settled')
      })
      .finally(() => running.delete(id))
  }
}
