import 'server-only'
import { sql } from 'drizzle-orm'
import {
  listWithChanges,
  readWithChanges,
  reconcileOnRead,
  refreshOnView,
  type WithChanges,
} from '#lib/licenses/license-changes/assets-with-changes.ts'
import { checkPermission, operation, type RequestMeta } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { readScope, readScopeAtOnce } from '#lib/platform/db/scope.ts'
import { dated } from '#lib/platform/files/attachment.ts'
import { csvReply } from '#lib/platform/files/csv.ts'
import { xlsxReply } from '#lib/platform/files/workbook.ts'
import { type ListOf, pageOf, readPageToken, timeOf } from '#lib/platform/lists/paging.ts'
import { DEFAULT_MAX_RESULTS } from '#lib/platform/lists/parameters.ts'
import { env } from '#lib/platform/runtime/env.ts'
import type { AssetListItem } from './contract.ts'
import * as contract from './contract.ts'
import * as shapes from './contract.ts'
import { assetsTable } from './export.ts'
import { type AssetSort, keysetOf, type Selection, selectsAll } from './selection.ts'
import { replyOf, serializeFullItem, serializeListItem } from './serialize.ts'
import * as store from './store.ts'
import { listAssetSummaries, listSeatSamples } from './store.ts'

export const listAssets = operation(
  contract.listAssets,
  async (caller, { query }, meta) => {
    const { view, maxResults = DEFAULT_MAX_RESULTS, pageToken, orderBy, ...selection } = query
    const { baseUrl } = env()
    const filters = filtersOf(caller, selection, orderBy)
    const cursor = pageToken ? readPageToken(pageToken, filters, keysetOf(orderBy).Key) : undefined
    const page = [selection, maxResults + 1, cursor, orderBy] as const
    if (view !== 'full') {
      const rows = await readScopeAtOnce(caller, (tx) => listAssetSummaries(tx, caller.customerId, ...page), {
        isByKey: !orderBy && selectsAll(selection),
        mayBeOld: true,
      })
      const { rows: pageRows, ...links } = pageOf(rows, {
        size: maxResults,
        cursor,
        keyOf: store.keyOf,
        list: filters,
      })
      const assets = pageRows.map(({ asset, micros }) => serializeListItem(asset, timeOf(micros), baseUrl))
      return { body: { assets, rowCount: assets.length, ...links } }
    }
    const rows = await readScope(caller, (tx) => listWithChanges(tx, caller.customerId, ...page))
    const { rows: pageRows, ...links } = pageOf(rows, {
      size: maxResults,
      cursor,
      keyOf: store.keyOf,
      list: filters,
    })
    reconcileOnRead(caller, pageRows, meta)
    const assets = pageRows.map((row) => serializeFullItem(row.asset, row, baseUrl))
    const isCacheable = pageRows.every(isUnchanging)
    return { body: { assets, rowCount: assets.length, ...links }, isCacheable }
  },
  { isExact: true },
)

/** Returns the filters that a page token is bound to. */
function filtersOf(
  { customerId }: Pick<Caller, 'customerId'>,
  { filter, search, minRenewalTime, maxRenewalTime }: Selection,
  orderBy: AssetSort | undefined,
): ListOf {
  // Page tokens from before the additional filters stay valid.
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

export const readAsset = operation(contract.readAsset, async (caller, { params }, meta) => {
  const row = await readFull(caller, params.asset_id, meta)
  // Reading a vendor's asset requests a fresh read where the last one is old.
  return { ...replyOf(row.asset), isCacheable: isUnchanging(row) && row.asset.vendorSubscriptionId === null }
})

/**
 * Returns one asset as the list with `view=full` does: the data of the asset's page.
 * @throws Problem `permission_denied` or `not_found`
 */
export async function readAssetItem(caller: Caller, id: string, meta: RequestMeta): Promise<AssetListItem> {
  checkPermission(caller, contract.readAsset.permission)
  const row = await readFull(caller, id, meta)
  return shapes.AssetListItem.parse(serializeFullItem(row.asset, row, env().baseUrl))
}

/**
 * Returns whether an asset looks the same until its customer's version changes. An open change is settled by reads, news
 * end with time, and vendors are read again and again.
 */
function isUnchanging({ changes, observedAt }: Pick<WithChanges, 'changes' | 'observedAt'>): boolean {
  return Object.keys(changes).length === 0 && observedAt === null
}

async function readFull(caller: Pick<Caller, 'customerId'>, id: string, meta: RequestMeta) {
  const row = await readScope(caller, (tx) => readWithChanges(tx, caller.customerId, id))
  if (!row) throw new Problem('not_found')
  reconcileOnRead(caller, [row], meta)
  refreshOnView(caller, row, meta)
  return row
}

/**
 * Returns purchased and assigned seats of one asset from `since` on, oldest first, as observed; times in epoch
 * milliseconds. Empty without data or for an unknown asset.
 * @throws Problem `permission_denied`
 */
export async function readSeatHistory(caller: Caller, id: string, since: number) {
  checkPermission(caller, contract.readAsset.permission)
  const samples = await readScope(
    caller,
    (tx) => listSeatSamples(tx, caller.customerId, id, new Date(since)),
    {
      mayBeOld: true,
    },
  )
  return samples.map(({ at, ...seats }) => ({ at: at.getTime(), ...seats }))
}

/** Most values of one kind in a menu; users type any other value into the address. */
const MAX_SAMPLES = 200

/**
 * Returns the filter choices among the caller's assets: their domains and their subscriptions' statuses, each sorted.
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
          WHERE customer_id = ${customerId} ORDER BY 1 LIMIT ${MAX_SAMPLES})
        UNION ALL
        (SELECT DISTINCT NULL, status COLLATE "C" FROM assets
          WHERE customer_id = ${customerId} AND status IS NOT NULL ORDER BY 2 LIMIT ${MAX_SAMPLES})`),
    { mayBeOld: true },
  )
  return {
    domains: rows.flatMap(({ domain }) => domain ?? []),
    statuses: rows.flatMap(({ status }) => status ?? []),
  }
}
