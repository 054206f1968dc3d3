import { z } from 'zod'
import { contract, paging, pagingOutput } from '#lib/platform/api/contract.ts'
import { csvFile, dialect, xlsxFile } from '#lib/platform/files/download.ts'
import { FILTER_GRAMMAR, filterText } from '#lib/platform/lists/filter.ts'
import { orderText } from '#lib/platform/lists/order.ts'
import { unixTime } from '#lib/platform/lists/unix-time.ts'
import { calls } from './calls.ts'
import * as examples from './examples.ts'
import { ASSET_FILTER_KEYS, ASSET_ORDER_KEYS, PLAN_KINDS, USAGES } from './rules.ts'
import * as shapes from './shapes.ts'

export type Asset = z.output<typeof shapes.Asset>
export type AssetListItem = z.output<typeof shapes.AssetListItem>

const selection = {
  filter: filterText(ASSET_FILTER_KEYS, { plan: PLAN_KINDS, usage: USAGES })
    .optional()
    .meta({
      description: `As in \`type:workspace-suite|cloud-platform\`. Keys: type, status (as \`Status\` of the subscription has it), plan (commitment, flexible, trial or usage-based, in any case), usage (idle: fewer than four fifths of the purchased licenses are assigned; used: more, but not all; full: all), domain (all of \`customerDomain\`, in any case). ${FILTER_GRAMMAR}`,
    }),
  minRenewalTime: unixTime('assets whose `CommitmentEndTime` is this time or later'),
  maxRenewalTime: unixTime('assets whose `CommitmentEndTime` is in this second or earlier', 999),
  search: z.string().max(200).optional().meta({
    description: 'Part of the name, domain or id, in any case. Under three characters: their start.',
  }),
}

const orderBy = orderText(ASSET_ORDER_KEYS).optional().meta({
  description:
    'As in `renewal asc`: created, name (in any case of letters), renewal (`CommitmentEndTime`) or idle (purchased licenses that are not assigned), then asc (unless told) or desc. Assets that have no such value come last both ways, and equal ones follow by id. Without it: newest first.',
})

/** spec 4.1 */
export const listAssets = contract({
  ...calls.listAssets,
  summary: 'List assets, newest first unless told otherwise',
  permission: 'licenses-manager',
  description: 'The assets that are managed for the customer, a page at a time.',
  query: z.object({
    ...selection,
    orderBy,
    view: z.enum(['basic', 'full']).optional().meta({
      description: '`full`: each asset also has what a screen needs, as its properties and its ETag.',
      default: 'basic',
    }),
    ...paging,
  }),
  output: z
    .object({ assets: z.array(shapes.AssetListItem).meta({ description: 'The page.' }), ...pagingOutput })
    .meta({ id: 'AssetList', description: 'A page of assets.' }),
  examples: examples.listAssets,
})

/** An addition: all assets that the filters select. */
export const exportAssets = contract({
  ...calls.exportAssets,
  summary: 'All assets of a selection as a CSV file',
  permission: 'licenses-manager',
  description: 'Whatever the filters select at one moment, however much it is.',
  query: z.object({ ...selection, orderBy, ...dialect }),
  output: csvFile(),
  examples: examples.exportAssets,
})

export const exportAssetsXlsx = contract({
  ...calls.exportAssetsXlsx,
  summary: 'All assets of a selection as a workbook',
  permission: 'licenses-manager',
  description: 'Whatever the filters select at one moment, however much it is.',
  query: z.object({ ...selection, orderBy }),
  output: xlsxFile(),
  examples: examples.exportAssetsXlsx,
})

/** The place of one asset in a path. */
export const params = z.object({
  asset_id: z.string().min(1).max(300).meta({ description: 'The `id` of an asset.' }),
})

export const readAsset = contract({
  ...calls.readAsset,
  summary: 'Read one asset',
  permission: 'licenses-manager',
  description: 'An asset with its subscription. Its ETag begins with the version of its seats, for If-Match.',
  params,
  output: shapes.Asset,
  examples: examples.readAsset,
})

/** An addition: what the type chips on screen count. */
export const summarizeAssets = contract({
  ...calls.summarizeAssets,
  summary: 'Count assets per type',
  permission: 'licenses-manager',
  description: 'What the same filters select in the list of assets, counted.',
  query: z.object(selection),
  output: z
    .object({
      count: z.int().min(0).meta({ description: 'Assets of all types.' }),
      types: z
        .array(
          z.object({
            type: shapes.assetType,
            count: z.int().min(1).meta({ description: 'Assets of this type.' }),
          }),
        )
        .meta({ description: 'Types that have assets.' }),
    })
    .meta({ id: 'AssetSummary', description: 'What a selection of assets comes to.' }),
  examples: examples.summarizeAssets,
})
