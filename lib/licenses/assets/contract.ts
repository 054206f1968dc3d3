import { z } from 'zod'
import { contract } from '#lib/platform/api/contract.ts'
import { csvFile, dialect, xlsxFile } from '#lib/platform/files/download.ts'
import { actor, others } from '#lib/platform/history/schemas.ts'
import { FILTER_GRAMMAR, filterText } from '#lib/platform/lists/filter.ts'
import { pageSchema, paging } from '#lib/platform/lists/paging.ts'
import { sortText, timeOf, timeRange } from '#lib/platform/lists/parameters.ts'
import { PLATFORMS } from '#lib/platform/values/platforms.ts'
import { assetRoutes } from '../routes.ts'
import * as examples from './examples.ts'
import { ASSET_FILTER_KEYS, ASSET_ORDER_KEYS, PLAN_KINDS, USAGES } from './rules.ts'

export const seats = z.int().min(0)

/** Fields that describe an open change. */
export const pendingStatus = {
  knownBy: z.int().optional().meta({
    description:
      'While it is open: by when its outcome is known, as epoch time in milliseconds, if the vendor answers when it is asked.',
  }),
  repeatable: z.literal(true).optional().meta({
    description:
      'Asking for the same total again may have it sent once more now, with one effect. Absent where there is only waiting.',
  }),
}

/** Change whose outcome is unknown, as an item of its asset shows the change. */
const openChange = z.object({
  id: z.string().meta({ description: 'Names the change: `/billing/v1/license-changes/{change_id}`.' }),
  to: seats.meta({ description: 'The total that was asked for.' }),
  state: z.string().meta({ description: 'CLAIMED, SENT, UNKNOWN.' }),
  actor: actor.meta({ description: 'Who asked for it.' }),
  createTime: timeOf('When it was asked for'),
  ...pendingStatus,
})

/** Settled change, as an item of its asset shows the change. */
const lastChange = z.object({
  id: z.string().meta({ description: 'Names the change: `/billing/v1/license-changes/{change_id}`.' }),
  from: seats.meta({ description: 'Purchased licenses before.' }),
  to: seats.meta({ description: 'The total that was asked for, or that the vendor set.' }),
  state: z.string().meta({ description: 'APPLIED, REJECTED, FAILED, UNCLEAR, DRIFT, RECORDED.' }),
  vendorReason: z.string().optional().meta({ description: 'The outcome or its reason, in words.' }),
  actor: actor.meta({ description: 'Who asked for it, or that the vendor did it.' }),
  settleTime: timeOf('When its outcome was known'),
})

const plan = z.object({
  CommitmentInterval: z.boolean().nullable().meta({ description: 'True, or null without a commitment.' }),
  CommitmentStartTime: timeOf('When the commitment began, where that is known').optional(),
  CommitmentEndTime: timeOf('When it ends, where that is known').optional(),
  IsCommitmentPlan: z.boolean().meta({
    description: 'True for annual and other plans with a commitment, whose quantity can only grow.',
  }),
  PlanName: z
    .string()
    .meta({ description: `FLEXIBLE, ANNUAL_MONTHLY_PAY, ANNUAL_YEARLY_PAY, TRIAL; ${others}` }),
})

const seatCounts = z.object({
  LicensedNumberOfSeats: seats.meta({ description: 'Assigned to users.' }),
  MaximumNumberOfSeats: seats.meta({
    description: 'The maximum: equal to NumberOfSeats unless the vendor states another cap.',
  }),
  NumberOfSeats: seats.meta({ description: 'Purchased; of a flexible or trial plan, the purchased cap.' }),
})

/** spec 2.2. Field names and capitals are the wire's. */
const Subscription = z
  .object({
    BillingMethod: z.string().meta({ description: 'How the vendor is paid: `ONLINE`, or other text.' }),
    CreationTime: timeOf('When it was bought'),
    PurchaseOrderID: z.string().meta({
      description:
        "Purchase order of the subscription at its vendor. May be empty. Invoice lines have the customer's, which `readAssetPosting` returns.",
    }),
    ResourceUIURL: z
      .string()
      .meta({ description: "The vendor's own page of its subscriptions. May be empty." }),
    SkuID: z.string().meta({ description: 'What was bought, as the vendor calls it.' }),
    SkuName: z.string().meta({ description: 'The same for people: Business Plus.' }),
    Status: z.string().meta({ description: `ACTIVE, SUSPENDED, PENDING, CANCELLED; ${others}` }),
    ID: z.string().meta({ description: 'The subscription at the vendor.' }),
    Plan: plan.meta({ description: 'How it is bought.' }),
    RenewalSettings: z
      .object({ renewalType: z.string().meta({ description: 'What happens then, as the vendor calls it.' }) })
      .nullable()
      .meta({
        description:
          'What happens at the end of the commitment. Null without one, and where nothing is known.',
      }),
    Seats: seatCounts.meta({ description: 'Licenses: three whole numbers.' }),
  })
  .meta({ id: 'Subscription', description: 'What is bought at the vendor.' })

const properties = z
  .object({
    customerDomain: z.string().meta({ description: 'The domain that the asset is for.' }),
    customerID: z.string().meta({ description: 'The customer at the vendor.' }),
    reseller: z.string().meta({ description: 'Whom to ask: an email address.' }),
    subscription: Subscription.optional().meta({ description: 'Absent for assets without licenses.' }),
  })
  .meta({ id: 'AssetProperties', description: 'Of whom the asset is, and what is bought.' })

const assetId = z.string().meta({ description: 'Starts with the type.' })
/** Product type of an asset, as a word. */
export const assetType = z.string().meta({ description: `${PLATFORMS.join(', ')}; others may come.` })

/** spec 2.2 */
export const Asset = z
  .object({
    id: assetId,
    type: assetType,
    properties: properties.meta({ description: 'Of whom it is, and what is bought.' }),
    settings: z.null().meta({ description: 'Always null.' }),
  })
  .meta({ id: 'Asset', description: 'A managed product.' })

const vendor = z.object({
  name: z
    .string()
    .meta({ description: 'built-in, google-workspace, microsoft-partner-center; others may come.' }),
  label: z.string().meta({ description: 'Its name for people.' }),
  quantityIsCap: z.boolean().meta({ description: 'What is billed is the use, up to the quantity.' }),
  takesLicenses: z
    .boolean()
    .meta({ description: 'A quantity below the assigned users takes licenses from some of them.' }),
  locksIncreases: z
    .boolean()
    .meta({ description: 'Without a commitment, too, an increase can be taken back for a few days only.' }),
  ordersTotals: z
    .boolean()
    .meta({ description: 'Whether a total can be ordered for the next term of a commitment plan.' }),
})

const scheduled = z.object({
  quantity: seats.meta({ description: 'The total that it will be.' }),
  time: timeOf('When, where that is known').optional(),
})

/** spec 2.1, with our additions */
export const AssetListItem = z
  .object({
    id: assetId,
    type: assetType,
    licenseQty: z
      .string()
      .meta({ description: 'Purchased licenses as text, or `N/A` for assets without licenses.' }),
    assetName: z.string().meta({ description: 'Name for people.' }),
    url: z.url().meta({ description: 'The page of this type in the console.' }),
    name: z.string().meta({ description: 'The same as `assetName`.' }),
    quantity: seats
      .optional()
      .meta({ description: 'Purchased licenses. Absent where `licenseQty` is `N/A`.' }),
    createTime: timeOf('When it was created'),
    properties: properties.optional().meta({ description: 'With `view=full`.' }),
    etag: z.string().optional().meta({ description: "With `view=full`: the asset's ETag." }),
    vendor: vendor.optional().meta({ description: 'With `view=full`, for assets with licenses.' }),
    observedTime: z.int().optional().meta({
      description:
        'With `view=full`: when the vendor last told of it, as epoch time in milliseconds. Absent where it tells nothing.',
    }),
    scheduled: scheduled.optional().meta({
      description:
        'With `view=full`: what the vendor sets at the next renewal. A change before may delete it there.',
    }),
    openChange: openChange
      .optional()
      .meta({ description: 'With `view=full`: a change whose outcome is not known yet.' }),
    lastChange: lastChange.optional().meta({
      description:
        'With `view=full`: the newest change, where it is settled, for seven days; one that is UNCLEAR until another follows that is not the vendor’s own.',
    }),
    waitUntil: z.int().optional().meta({
      description:
        'With `view=full`: until when the vendor takes no other change of this subscription by its own word, as epoch time in milliseconds.',
    }),
  })
  .meta({ id: 'AssetListItem', description: 'An asset as lists have it.' })

export type Asset = z.output<typeof Asset>
export type AssetListItem = z.output<typeof AssetListItem>

const selection = {
  filter: filterText(ASSET_FILTER_KEYS, { plan: PLAN_KINDS, usage: USAGES })
    .optional()
    .meta({
      description: `As in \`type:workspace-suite|cloud-platform\`. Keys: type, status (as \`Status\` of the subscription has it), plan (commitment, flexible, trial or usage-based, in any case), usage (idle: fewer than four fifths of the purchased licenses are assigned; used: more, but not all; full: all), domain (all of \`customerDomain\`, in any case). ${FILTER_GRAMMAR}`,
    }),
  ...timeRange('RenewalTime', 'assets whose `CommitmentEndTime`', 999),
  search: z.string().max(200).optional().meta({
    description:
      'Part of the name, domain or id. Case is ignored; fewer than three characters match the start.',
  }),
}

const orderBy = sortText(ASSET_ORDER_KEYS).optional().meta({
  description:
    'As in `renewal asc`: created, name (in any case of letters), renewal (`CommitmentEndTime`) or idle (purchased licenses that are not assigned), then asc (unless told) or desc. Assets that have no such value come last both ways, and equal ones follow by id. Without it: newest first.',
})

/** spec 4.1, `GET /billing/v1/assets` */
export const listAssets = contract({
  ...assetRoutes.listAssets,
  summary: 'List assets, newest first unless told otherwise',
  permission: 'licenses-manager',
  cachedBy: ['day'],
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
  output: pageSchema('assets', AssetListItem).meta({ id: 'AssetList', description: 'A page of assets.' }),
  examples: examples.listAssets,
})

/** An addition: all assets that the filters select. */
export const exportAssets = contract({
  ...assetRoutes.exportAssets,
  summary: 'All assets of a selection as a CSV file',
  permission: 'licenses-manager',
  description: 'All rows that match the filters at one moment, without a limit.',
  query: z.object({ ...selection, orderBy, ...dialect }),
  output: csvFile(),
  examples: examples.exportAssets,
})

export const exportAssetsXlsx = contract({
  ...assetRoutes.exportAssetsXlsx,
  summary: 'All assets of a selection as a workbook',
  permission: 'licenses-manager',
  description: 'All rows that match the filters at one moment, without a limit.',
  query: z.object({ ...selection, orderBy }),
  output: xlsxFile(),
  examples: examples.exportAssetsXlsx,
})

/** The place of one asset in a path. */
export const params = z.object({
  asset_id: z.string().min(1).max(300).meta({ description: 'The `id` of an asset.' }),
})

export const readAsset = contract({
  ...assetRoutes.readAsset,
  summary: 'Read one asset',
  permission: 'licenses-manager',
  cachedBy: ['day'],
  description: 'An asset with its subscription. Its ETag begins with the version of its seats, for If-Match.',
  params,
  output: Asset,
  examples: examples.readAsset,
})

/** Addition: the counts of the type chips on screen. */
export const summarizeAssets = contract({
  ...assetRoutes.summarizeAssets,
  summary: 'Count assets per type',
  permission: 'licenses-manager',
  cachedBy: ['day'],
  description: 'What the same filters select in the list of assets, counted.',
  query: z.object(selection),
  output: z
    .object({
      count: z.int().min(0).meta({ description: 'Assets of all types.' }),
      types: z
        .array(
          z.object({
            type: assetType,
            count: z.int().min(1).meta({ description: 'Assets of this type.' }),
          }),
        )
        .meta({ description: 'Types that have assets.' }),
    })
    .meta({ id: 'AssetSummary', description: 'Sums of a selection of assets.' }),
  examples: examples.summarizeAssets,
})
