import { z } from 'zod'
import { contract, csvFile, paging, pagingOutput } from '#lib/api/contract.ts'
import { filterText } from '#lib/lists/filter.ts'
import { calls } from './calls.ts'
import * as shapes from './shapes.ts'

export type Asset = z.output<typeof shapes.Asset>
export type AssetListItem = z.output<typeof shapes.AssetListItem>

const selection = {
  filter: filterText(['type']).optional().meta({ description: 'As in `type:a|type:b`. Key: type.' }),
  search: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'Part of the name, domain or id, in any case.' }),
}

/** spec 4.1 */
export const listAssets = contract({
  ...calls.listAssets,
  summary: 'List assets, newest first',
  permission: 'licenses-manager',
  query: z.object({ ...selection, view: z.enum(['basic', 'full']).optional(), ...paging }),
  output: z.object({ assets: z.array(shapes.AssetListItem), ...pagingOutput }).meta({ id: 'AssetList' }),
  problems: ['invalid_request', 'filter_invalid', 'page_token_invalid'],
})

/** An addition: all assets that the filters select. */
export const exportAssets = contract({
  ...calls.exportAssets,
  summary: 'All assets of a selection as a CSV file',
  permission: 'licenses-manager',
  query: z.object(selection),
  output: csvFile(),
  problems: ['invalid_request', 'filter_invalid'],
})

/** The place of one asset in a path. */
export const params = z.object({ asset_id: z.string().min(1).max(300) })

export const readAsset = contract({
  ...calls.readAsset,
  summary: 'Read one asset',
  permission: 'licenses-manager',
  params,
  output: shapes.Asset,
  problems: ['not_found'],
})

/** An addition: what the type chips on screen count. */
export const summarizeAssets = contract({
  ...calls.summarizeAssets,
  summary: 'Count assets per type',
  permission: 'licenses-manager',
  query: z.object(selection),
  output: z
    .object({ count: z.int().min(0), types: z.array(z.object({ type: z.string(), count: z.int().min(1) })) })
    .meta({ id: 'AssetSummary' }),
  problems: ['invalid_request', 'filter_invalid'],
})
