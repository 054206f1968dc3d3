import { z } from 'zod'
import { Asset, AssetListItem, params, pendingStatus, seats } from '#lib/licenses/assets/contract.ts'
import { MAX_QUANTITY } from '#lib/licenses/assets/quantity-rule.ts'
import { contract, emptyBody } from '#lib/platform/api/contract.ts'
import { idempotencyKey } from '#lib/platform/api/idempotency.ts'
import { ifMatch, switchText } from '#lib/platform/api/request.ts'
import { csvFile, dialect, xlsxFile } from '#lib/platform/files/download.ts'
import { actor, others } from '#lib/platform/history/schemas.ts'
import { FILTER_GRAMMAR, filterText } from '#lib/platform/lists/filter.ts'
import { pageSchema, paging } from '#lib/platform/lists/paging.ts'
import { timeOf, timeRange } from '#lib/platform/lists/parameters.ts'
import { changeRoutes } from '../routes.ts'
import * as changes from './examples.ts'
import * as quantity from './examples.ts'
import * as reading from './examples.ts'

const acknowledged = z.object({
  actor: actor.meta({ description: 'Who said so.' }),
  time: timeOf('When it was acknowledged'),
})

/** Addition: a requested total and its outcome. */
const LicenseChange = z
  .object({
    id: z.string().meta({ description: 'Names the change.' }),
    assetId: z.string().meta({ description: 'The changed asset.' }),
    assetName: z.string().meta({ description: 'The present name of the asset.' }),
    type: z.string().meta({ description: 'Type of the asset.' }),
    from: seats.meta({ description: 'Purchased licenses before.' }),
    to: seats.meta({ description: 'The total that was asked for.' }),
    state: z.string().meta({
      description: `Open: CLAIMED, SENT, UNKNOWN (the vendor has not confirmed it). Settled: APPLIED, REJECTED by the vendor, FAILED (not applied). UNCLEAR: it can no longer be determined whether the vendor made it; the asset is free for another change, which is decided on a fresh read. DRIFT: made by the vendor. RECORDED: what a file that an operator imported said, which asked no vendor; ${others}`,
    }),
    vendorReason: z.string().optional().meta({
      description: 'Why the vendor refused, what is known of a failure, or what to do where it is UNCLEAR.',
    }),
    actor: actor.meta({ description: 'Who asked for it, or that the vendor did it.' }),
    createTime: timeOf('When it was asked for'),
    settleTime: timeOf('When the outcome was known').optional(),
    ...pendingStatus,
    acknowledged: acknowledged
      .optional()
      .meta({ description: 'That someone has checked an UNCLEAR change. Absent if no one has.' }),
  })
  .meta({ id: 'LicenseChange', description: 'A total that was asked for, and what became of it.' })

export type LicenseChange = z.output<typeof LicenseChange>

/** Optional headers of a quantity change. */
const QuantityHeaders = z.object({
  'if-match': ifMatch.optional().meta({
    description:
      'An ETag of the asset: 412 if its seats, plan or status changed since. Assigned users do not count.',
  }),
  'idempotency-key': idempotencyKey
    .optional()
    .meta({ description: 'Of your own making: the same key and request get the same answer, for 24 hours.' }),
})

/** spec 4.2: the total after the change. */
const QuantityBody = z
  .strictObject({
    quantity: z
      .int({ error: 'must be a whole number, as a JSON number' })
      .min(0, 'must be 0 or more')
      .max(MAX_QUANTITY, 'must be 1,000,000 or less')
      .meta({ description: 'Total number of licenses after the change.' }),
  })
  .meta({ id: 'Quantity', description: 'The total that is wanted.' })

/** spec 4.2, `PATCH /billing/v1/assets/{asset_id}`: the quantity is the total after the operation, not an increment. */
export const setQuantity = contract({
  ...changeRoutes.setQuantity,
  summary: "Set an asset's total number of licenses",
  permission: 'licenses-manager',
  limit: 'changes',
  description:
    'The quantity is the total after the change, not an increment. More is always possible; less is not on a commitment plan. The same total changes nothing. A change is made at most once: after `outcome_unknown` the same total, or the same Idempotency-Key, gets what became of it.',
  params,
  query: z.object({
    dryRun: switchText('The same checks and the same answer; nothing is sent and nothing stored.'),
  }),
  headers: QuantityHeaders,
  body: QuantityBody,
  output: Asset,
  responseHeaders: ['Dry-Run'],
  problems: [
    'decrease_not_allowed',
    'subscription_not_active',
    'version_mismatch',
    'idempotency_key_reused',
    'change_in_progress',
    'quantity_not_supported',
    'vendor_rejected',
    'vendor_unavailable',
    'outcome_unknown',
  ],
  examples: quantity.setQuantity,
})

const selection = {
  filter: filterText(['asset', 'state', 'actor'])
    .optional()
    .meta({
      description: `As in \`asset:a|b|state:APPLIED\`. Keys: asset (its id), state (CLAIMED, SENT, UNKNOWN, APPLIED, REJECTED, FAILED, UNCLEAR, DRIFT, RECORDED), actor (the id of a member or key). ${FILTER_GRAMMAR}`,
    }),
  ...timeRange('CreationTime', 'changes whose `createTime`', 999),
}

/** Addition: requested totals with actor, time and outcome. */
export const listLicenseChanges = contract({
  ...changeRoutes.listLicenseChanges,
  summary: 'List changes of licenses, newest first',
  permission: 'licenses-manager',
  description: 'Who asked for which total, when, and what became of it.',
  query: z.object({ ...selection, ...paging }),
  output: pageSchema('licenseChanges', LicenseChange).meta({
    id: 'LicenseChangeList',
    description: 'A page of changes of licenses.',
  }),
  examples: changes.listLicenseChanges,
})

const exported = {
  ...selection,
  columns: z.enum(['words'], { error: 'must be words' }).optional().meta({
    description:
      'The columns that people need, with names, platforms and outcomes in words, instead of those of the API.',
  }),
}

/** Addition: all that the filters select. */
export const exportLicenseChanges = contract({
  ...changeRoutes.exportLicenseChanges,
  summary: 'All changes of licenses of a selection, as a CSV file',
  permission: 'licenses-manager',
  description: 'All rows that match the filters at one moment, newest first, without a limit.',
  query: z.object({ ...exported, ...dialect }),
  output: csvFile(),
  examples: changes.exportLicenseChanges,
})

export const exportLicenseChangesXlsx = contract({
  ...changeRoutes.exportLicenseChangesXlsx,
  summary: 'All changes of licenses of a selection, as a workbook',
  permission: 'licenses-manager',
  description: 'All rows that match the filters at one moment, newest first, without a limit.',
  query: z.object(exported),
  output: xlsxFile(),
  examples: changes.exportLicenseChangesXlsx,
})

/** The place of one change in a path. */
const changeParams = z.object({
  change_id: z.string().min(1).max(100).meta({ description: 'The `id` of a change.' }),
})

/** Addition: the outcome of a change that was answered with `outcome_unknown`. */
export const readLicenseChange = contract({
  ...changeRoutes.readLicenseChange,
  summary: 'Read one change of licenses',
  permission: 'licenses-manager',
  description: 'What became of a change, also of one whose answer was `outcome_unknown`.',
  params: changeParams,
  output: LicenseChange,
  examples: changes.readLicenseChange,
})

/** Additional member: a user or client of the customer has compared an unclear change with the vendor's total. */
export const acknowledgeLicenseChange = contract({
  ...changeRoutes.acknowledgeLicenseChange,
  summary: 'Say that an unclear change was checked',
  permission: 'licenses-manager',
  description:
    'Of a change in the state UNCLEAR: you have compared the total at the vendor with the one that you need. The change stays UNCLEAR and says who checked it. A repeat with its Idempotency-Key, which was 504 `outcome_unknown` until then, is decided anew on a fresh read. Acknowledging again changes nothing. 409 `change_in_progress` while the change is open, `change_settled` where its outcome is known.',
  params: changeParams,
  body: emptyBody,
  output: LicenseChange,
  problems: ['change_in_progress', 'change_settled'],
  examples: changes.acknowledgeLicenseChange,
})

/** Addition: reads one asset from its vendor immediately, like the scheduled job. */
export const readFromVendor = contract({
  ...changeRoutes.readFromVendor,
  summary: 'Read an asset from its vendor now',
  permission: 'licenses-manager',
  description:
    "Asks the vendor for the asset's subscription, and answers the asset as a list with `view=full` has it; `observedTime` says when the vendor told of it. It does not ask again within 15 seconds: then it answers what it told, or 503 `vendor_unavailable` where it has told nothing. Where a change is open, it asks what became of that. An asset whose books are our own is answered at once.",
  params,
  body: emptyBody,
  output: AssetListItem,
  problems: ['subscription_not_active', 'vendor_unavailable'],
  examples: reading.readFromVendor,
})
