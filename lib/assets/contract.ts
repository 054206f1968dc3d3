import { z } from 'zod'
import { contract, paging, pagingOutput } from '#lib/api/contract.ts'
import { filterText } from '#lib/api/filter.ts'
import { MAX_QUANTITY } from './rules.ts'

const epochMs = z.int().meta({ description: 'Epoch time in milliseconds.' })
const seats = z.int().min(0)
const others = 'others are passed through.'

/** spec 2.2. Field names and capitals are the wire's. */
const Subscription = z
  .object({
    BillingMethod: z.string(),
    CreationTime: epochMs,
    PurchaseOrderID: z.string().meta({ description: 'May be empty.' }),
    ResourceUIURL: z.string(),
    SkuID: z.string(),
    SkuName: z.string(),
    Status: z.string().meta({ description: `ACTIVE, SUSPENDED, PENDING, CANCELLED; ${others}` }),
    ID: z.string(),
    Plan: z.object({
      CommitmentInterval: z.boolean().nullable().meta({ description: 'True, or null without a commitment.' }),
      CommitmentStartTime: epochMs.optional(),
      CommitmentEndTime: epochMs.optional(),
      IsCommitmentPlan: z.boolean().meta({ description: 'True: the quantity can only grow.' }),
      PlanName: z
        .string()
        .meta({ description: `FLEXIBLE, ANNUAL_MONTHLY_PAY, ANNUAL_YEARLY_PAY, TRIAL; ${others}` }),
    }),
    RenewalSettings: z.object({ renewalType: z.string() }).nullable(),
    Seats: z.object({
      LicensedNumberOfSeats: seats.meta({ description: 'Assigned to users.' }),
      MaximumNumberOfSeats: seats.meta({
        description: 'The cap: equal to NumberOfSeats unless stated apart.',
      }),
      NumberOfSeats: seats.meta({ description: 'Purchased.' }),
    }),
  })
  .meta({ id: 'Subscription' })

const properties = z
  .object({
    customerDomain: z.string(),
    customerID: z.string().meta({ description: 'The customer at the vendor.' }),
    reseller: z.string(),
    subscription: Subscription.nullable().meta({ description: 'Null for assets without licenses.' }),
  })
  .meta({ id: 'AssetProperties' })

/** spec 2.2 */
export const Asset = z
  .object({ id: z.string(), type: z.string(), properties, settings: z.null() })
  .meta({ id: 'Asset' })

/** spec 2.1, with the additions of CONTRACT 3 */
export const AssetListItem = z
  .object({
    id: z.string().meta({ description: 'Starts with the type.' }),
    type: z.string(),
    licenseQty: z.string().meta({ description: 'Purchased licenses as text, or `N/A`.' }),
    assetName: z.string(),
    url: z.string().meta({ description: 'The page of this type in the console.' }),
    name: z.string().meta({ description: 'The same as `assetName`.' }),
    quantity: seats.optional().meta({ description: 'Absent where `licenseQty` is `N/A`.' }),
    createTime: epochMs,
    properties: properties.optional().meta({ description: 'With `view=full`.' }),
    etag: z.string().optional().meta({ description: "With `view=full`: the asset's ETag." }),
  })
  .meta({ id: 'AssetListItem' })

export type Asset = z.output<typeof Asset>
export type AssetListItem = z.output<typeof AssetListItem>

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
  output: z.object({ assets: z.array(AssetListItem), ...pagingOutput }).meta({ id: 'AssetList' }),
  problems: ['invalid_request', 'filter_invalid', 'page_token_invalid'],
})

const params = z.object({ asset_id: z.string().min(1).max(300) })

export const readAsset = contract({
  name: 'readAsset',
  summary: 'Read one asset',
  method: 'GET',
  path: '/billing/v1/assets/{asset_id}',
  permission: 'licenses-manager',
  params,
  output: Asset,
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
  body: z.strictObject({
    quantity: z
      .int({ error: 'must be a whole number, as a JSON number' })
      .min(0, 'must be 0 or more')
      .max(MAX_QUANTITY, 'must be 1,000,000 or less')
      .meta({ description: 'Total number of licenses after the change.' }),
  }),
  output: Asset,
  problems: [
    'invalid_request',
    'cross_origin',
    'not_found',
    'decrease_not_allowed',
    'subscription_not_active',
    'change_in_progress',
    'body_too_large',
    'unsupported_media_type',
    'quantity_not_supported',
    'vendor_rejected',
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
