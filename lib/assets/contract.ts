import { z } from 'zod'
import { contract, csvFile, paging, pagingOutput, unixTime } from '#lib/api/contract.ts'
import { QuantityBody, QuantityHeaders } from '#lib/license-changes/quantity-shapes.ts'
import { filterText } from '#lib/lists/filter.ts'
import * as shapes from './shapes.ts'

export type Asset = z.output<typeof shapes.Asset>
export type AssetListItem = z.output<typeof shapes.AssetListItem>
export type LicenseChange = z.output<typeof shapes.LicenseChange>

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
  name: 'listAssets',
  summary: 'List assets, newest first',
  method: 'GET',
  path: '/billing/v1/assets',
  permission: 'licenses-manager',
  query: z.object({ ...selection, view: z.enum(['basic', 'full']).optional(), ...paging }),
  output: z.object({ assets: z.array(shapes.AssetListItem), ...pagingOutput }).meta({ id: 'AssetList' }),
  problems: ['invalid_request', 'filter_invalid', 'page_token_invalid'],
})

/** An addition: all assets that the filters select. */
export const exportAssets = contract({
  name: 'exportAssets',
  summary: 'All assets of a selection as a CSV file',
  method: 'GET',
  path: '/billing/v1/assets.csv',
  permission: 'licenses-manager',
  query: z.object(selection),
  output: csvFile(),
  problems: ['invalid_request', 'filter_invalid'],
})

const params = z.object({ asset_id: z.string().min(1).max(300) })

export const readAsset = contract({
  name: 'readAsset',
  summary: 'Read one asset',
  method: 'GET',
  path: '/billing/v1/assets/{asset_id}',
  permission: 'licenses-manager',
  params,
  output: shapes.Asset,
  problems: ['not_found'],
})

/** spec 4.2: the quantity is the total after the operation, not an increment. */
export const setQuantity = contract({
  name: 'setQuantity',
  summary: "Set an asset's total number of licenses",
  method: 'PATCH',
  path: '/billing/v1/assets/{asset_id}',
  permission: 'licenses-manager',
  params,
  query: z.object({
    dryRun: z.enum(['true', 'false']).optional().meta({ description: 'Checks, and changes nothing.' }),
  }),
  headers: QuantityHeaders,
  body: QuantityBody,
  output: shapes.Asset,
  problems: [
    'invalid_request',
    'cross_origin',
    'not_found',
    'decrease_not_allowed',
    'subscription_not_active',
    'version_mismatch',
    'idempotency_key_reused',
    'change_in_progress',
    'body_too_large',
    'unsupported_media_type',
    'quantity_not_supported',
    'vendor_rejected',
    'vendor_unavailable',
    'outcome_unknown',
  ],
})

/** An addition: what the type chips on screen count. */
export const summarizeAssets = contract({
  name: 'summarizeAssets',
  summary: 'Count assets per type',
  method: 'GET',
  path: '/billing/v1/asset-summary',
  permission: 'licenses-manager',
  query: z.object(selection),
  output: z
    .object({ count: z.int().min(0), types: z.array(z.object({ type: z.string(), count: z.int().min(1) })) })
    .meta({ id: 'AssetSummary' }),
  problems: ['invalid_request', 'filter_invalid'],
})

/** An addition: who asked for which total, when, and what became of it. */
export const listLicenseChanges = contract({
  name: 'listLicenseChanges',
  summary: 'List changes of licenses, newest first',
  method: 'GET',
  path: '/billing/v1/license-changes',
  permission: 'licenses-manager',
  query: z.object({
    filter: filterText(['asset', 'state']).optional().meta({
      description:
        'As in `asset:a|b|state:APPLIED`. Keys: asset (its id), state (CLAIMED, SENT, UNKNOWN, APPLIED, REJECTED, FAILED, DRIFT).',
    }),
    minCreationTime: unixTime().meta({ description: 'Unix seconds: changes of this time or later.' }),
    maxCreationTime: unixTime(999).meta({ description: 'Unix seconds: changes of this second or earlier.' }),
    ...paging,
  }),
  output: z
    .object({ licenseChanges: z.array(shapes.LicenseChange), ...pagingOutput })
    .meta({ id: 'LicenseChangeList' }),
  problems: ['invalid_request', 'filter_invalid', 'page_token_invalid'],
})

/** An addition: what became of a change whose answer was `outcome_unknown`. */
export const readLicenseChange = contract({
  name: 'readLicenseChange',
  summary: 'Read one change of licenses',
  method: 'GET',
  path: '/billing/v1/license-changes/{change_id}',
  permission: 'licenses-manager',
  params: z.object({ change_id: z.string().min(1).max(100) }),
  output: shapes.LicenseChange,
  problems: ['not_found'],
})
