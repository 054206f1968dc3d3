import 'server-only'
import { sql } from 'drizzle-orm'
import {
  listWithChanges,
  readOnLook,
  readWithChanges,
  settleOnRead,
} from '#lib/licenses/license-changes/open-change.ts'
import { DEFAULT_MAX_RESULTS } from '#lib/platform/api/contract.ts'
import { checkPermission, operation, type Trace } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { readScope, readScopeAtOnce } from '#lib/platform/db/scope.ts'
import { dated } from '#lib/platform/files/attachment.ts'
import { csvReply, xlsxReply } from '#lib/platform/files/table.ts'
import { type ListOf, pageOf, readPageToken, timeOf } from '#lib/platform/lists/keyset.ts'
import { env } from '#lib/platform/runtime/env.ts'
import type { AssetListItem } from './contract.ts'
import * as contract from './contract.ts'
import * as shapes from './contract.ts'
import { assetsTable } from './export.ts'
import { type AssetOrder, keysetOf, type Selection, selectsAll } from './selection.ts'
import { replyOf, serializeFullItem, serializeListItem } from './serialize.ts'
import * as store from './store.ts'
import { listReadings, listShown } from './store.ts'

export const listAssets = operation(
  contract.listAssets,
  async (caller, { query }, trace) => {
    const { view, maxResults = DEFAULT_MAX_RESULTS, pageToken, orderBy, ...selection } = query
    const { baseUrl } = env()
    const filters = filtersOf(caller, selection, orderBy)
    const cursor = pageToken ? readPageToken(pageToken, filters, keysetOf(orderBy).Key) : undefined
    const page = [selection, maxResults + 1, cursor, orderBy] as const
    if (view !== 'full') {
      const rows = await readScopeAtOnce(caller, (tx) => listShown(tx, caller.customerId, ...page), {
        isByKey: !orderBy && selectsAll(selection),
        mayBeOld: true,
      })
      const { rows: shown, ...links } = pageOf(rows, maxResults, cursor, store.keyOf, filters)
      const assets = shown.map(({ asset, micros }) => serializeListItem(asset, timeOf(micros), baseUrl))
      return { body: { assets, rowCount: assets.length, ...links } }
    }
    const rows = await readScope(caller, (tx) => listWithChanges(tx, caller.customerId, ...page))
    const { rows: shown, ...links } = pageOf(rows, maxResults, cursor, store.keyOf, filters)
    settleOnRead(caller, shown, trace)
    const assets = shown.map((row) => serializeFullItem(row.asset, row, baseUrl))
    return { body: { assets, rowCount: assets.length, ...links } }
  },
  { isExact: true },
)

/** What a page token belongs to. */
function filtersOf(
  { customerId }: Pick<Caller, 'customerId'>,
  { filter, search, minRenewalTime, maxRenewalTime }: Selection,
  orderBy: AssetOrder | undefined,
): ListOf {
  // Tokens that were given out before there was more stay valid.
  const more = [minRenewalTime, maxRenewalTime, orderBy]
  return [customerId, 'assets', filter, search, ...(more.some((one) => one !== undefined) ? [more] : [])]
}

export const summarizeAssets = operation(contract.summarizeAssets, async (caller, { query }) => {
  const types = await readScopeAtOnce(caller, (tx) => store.countAssets(tx, caller.customerId, query), {
    mayBeOld: true,
  })
  return { body: { count: types.reduce((sum, { count }) => sum + count, 0), types } }
})

export const exportAssets = operation(contract.exportAssets, async (caller, { query }) => {
  const { separator, decimal, ...selection } = query
  return csvReply(dated('assets'), assetsTable(caller, selection), { separator, decimal })
})

export const exportAssetsXlsx = operation(contract.exportAssetsXlsx, async (caller, { query }) =>
  xlsxReply(dated('assets'), 'Assets', assetsTable(caller, query)),
)

export const readAsset = operation(contract.readAsset, async (caller, { params }, trace) => {
  const { asset } = await readFull(caller, params.asset_id, trace)
  return replyOf(asset)
})

/**
 * One asset as a list with `view=full` has it: what a page of its own needs.
 * @throws Problem `permission_denied` or `not_found`
 */
export async function readAssetItem(caller: Caller, id: string, trace: Trace): Promise<AssetListItem> {
  checkPermission(caller, contract.readAsset.permission)
  const row = await readFull(caller, id, trace)
  return shapes.AssetListItem.parse(serializeFullItem(row.asset, row, env().baseUrl))
}

async function readFull(caller: Caller, id: string, trace: Trace) {
  const row = await readScope(caller, (tx) => readWithChanges(tx, caller.customerId, id))
  if (!row) throw new Problem('not_found')
  settleOnRead(caller, [row], trace)
  readOnLook(caller, row, trace)
  return row
}

/**
 * Purchased and assigned seats of one asset from `since` on, oldest first, as they were seen; times in epoch
 * milliseconds. Empty where nothing is known, or there is no such asset.
 * @throws Problem `permission_denied`
 */
export async function readSeatHistory(caller: Caller, id: string, since: number) {
  checkPermission(caller, contract.readAsset.permission)
  const readings = await readScope(caller, (tx) => listReadings(tx, caller.customerId, id, new Date(since)), {
    mayBeOld: true,
  })
  return readings.map(({ at, ...seats }) => ({ at: at.getTime(), ...seats }))
}

/** More of one kind nobody goes through in a menu; whoever means another one writes it into the address. */
const MOST = 200

/**
 * What filters can offer, of the caller's assets: their domains, and the statuses of their subscriptions, each in order.
 * @throws Problem `permission_denied`
 */
export async function readChoices(caller: Caller): Promise<{ domains: string[]; statuses: string[] }> {
  checkPermission(caller, 'licenses-manager')
  const { customerId } = caller
  const { rows } = await readScopeAtOnce(
    caller,
    (tx) =>
      tx.execute<{ domain: string | null; status: string | null }>(sql`
        (SELECT DISTINCT customer_domain COLLATE "C" AS domain, NULL AS status FROM assets
          WHERE customer_id = ${customerId} ORDER BY 1 LIMIT ${MOST})
        UNION ALL
        (SELECT DISTINCT NULL, status COLLATE "C" FROM assets
          WHERE customer_id = ${customerId} AND status IS NOT NULL ORDER BY 2 LIMIT ${MOST})`),
    { mayBeOld: true },
  )
  return {
    domains: rows.flatMap(({ domain }) => domain ?? []),
    statuses: rows.flatMap(({ status }) => status ?? []),
  }
}
