import 'server-only'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import type { AssetRow, ListRow, Page } from '#lib/licenses/assets/store.ts'
import { scheduleRead } from '#lib/licenses/vendor-subscriptions.ts'
import { toProblem } from '#lib/platform/api/error-mapper.ts'
import type { RequestMeta } from '#lib/platform/api/operation.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { licenseScope } from '#lib/platform/db/scope.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import { reconcileChange } from './reconcile.ts'
import { isOpen } from './rules.ts'
import { pendingStatusOf, serializeLastChange, serializeOpenChange } from './serialize.ts'
import { type AssetChangeRow, listAssetChangeRows, readAssetChangeRow } from './store/asset-change-rows.ts'
import { waitFor } from './vendor-sync/read.ts'

// The only way from assets to changes.

/** Asset with its changes, as an item shows them. */
export type WithChanges = {
  asset: AssetRow
  changes: Pick<AssetListItem, 'openChange' | 'lastChange' | 'waitUntil'>
  /** Time of the vendor's last report; null for built-in records. */
  observedAt: Date | null
  /** Id of the open change when its reconciliation is due. */
  due: string | undefined
}

/** Returns the rows of `listAssets`, each with its changes. */
export async function listWithChanges(
  tx: Transaction,
  customerId: CustomerId,
  ...page: Page
): Promise<(ListRow & WithChanges)[]> {
  const rows = await listAssetChangeRows(tx, customerId, ...page)
  return rows.map((row) => ({ ...toWithChanges(row), micros: row.micros, sort: row.sort }))
}

/** Returns one asset with its changes. */
export async function readWithChanges(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
): Promise<WithChanges | undefined> {
  const row = await readAssetChangeRow(tx, customerId, id)
  return row && toWithChanges(row)
}

function toWithChanges({ asset, open, isDue, newest, observedAt }: AssetChangeRow): WithChanges {
  if (open) {
    const openChange = serializeOpenChange(open, pendingStatusOf(open, asset))
    return { asset, observedAt, changes: { openChange }, due: isDue ? open.id : undefined }
  }
  const isNews = newest && !isOpen(newest.state) && (newest.isLately || newest.state === 'UNCLEAR')
  const changes = {
    ...(isNews ? { lastChange: serializeLastChange(newest) } : {}),
    ...(newest?.notBefore ? { waitUntil: newest.notBefore.getTime() } : {}),
  }
  return { asset, observedAt, changes, due: undefined }
}

/**
 * Requests a read of a viewed asset whose data is old; the next run of the job reads the asset. Returns immediately; a
 * failure is logged.
 */
export function refreshOnView(
  who: { customerId: CustomerId },
  { asset: { vendorSubscriptionId: id }, observedAt }: Pick<WithChanges, 'asset' | 'observedAt'>,
  { requestId }: RequestMeta,
): void {
  const age = observedAt ? Date.now() - observedAt.getTime() : Number.POSITIVE_INFINITY
  const wait = waitFor({ kind: 'looked', age }, vendorTimes().staleMs)
  if (id === null || wait === null) return
  licenseScope(who, (tx) => scheduleRead(tx, who.customerId, id, wait)).catch((error: Error) => {
    if (toProblem(error).code === 'customer_closed') return
    const reason = reasonOf(error).slice(0, 300)
    log().warn({ requestId, vendorSubscriptionId: id, reason }, 'reading not planned')
  })
}

/** Most open changes reconciled per read: the others follow with the next read or the job. */
const MAX_PER_READ = 4

const running = new Set<string>()

/**
 * Reconciles due open changes when their assets are read. Returns immediately: the next read shows the outcome. A
 * failure is logged.
 */
export function reconcileOnRead(
  who: { customerId: CustomerId },
  rows: readonly Pick<WithChanges, 'due'>[],
  { requestId }: RequestMeta,
): void {
  const due = rows.flatMap(({ due: id }) => (id !== undefined && !running.has(id) ? [id] : []))
  for (const id of due.slice(0, MAX_PER_READ)) {
    running.add(id)
    reconcileChange(who, id, requestId)
      .catch((error: Error) => {
        // The cause contains the reason; the outer error would repeat the statement.
        const reason = String(error.cause ?? error).slice(0, 300)
        log().warn({ requestId, changeId: id, reason }, 'change not settled')
      })
      .finally(() => running.delete(id))
  }
}
