import { z } from 'zod'
import { contract, paging, pagingOutput } from '#lib/api/contract.ts'
import { switchText } from '#lib/api/query-text.ts'
import { actor, others, outlook, seats, timeOf } from '#lib/assets/change-shapes.ts'
import { params } from '#lib/assets/contract.ts'
import { MAX_QUANTITY } from '#lib/assets/rules.ts'
import { Asset } from '#lib/assets/shapes.ts'
import { FILTER_GRAMMAR, filterText } from '#lib/lists/filter.ts'
import { unixTime } from '#lib/lists/unix-time.ts'
import { calls } from './calls.ts'
import * as examples from './examples.ts'

export type LicenseChange = z.output<typeof LicenseChange>

const ifMatch = z
  .string()
  .max(1000)
  .regex(/^\s*(\*|(W\/)?"[^"]*"(\s*,\s*(W\/)?"[^"]*")*)\s*$/, 'must be * or ETags in quotes')

/** What may come with a change of a quantity (CONTRACT 4). */
const QuantityHeaders = z.object({
  'if-match': ifMatch.optional().meta({
    description:
      'An ETag of the asset: 412 if its seats, plan or status changed since. Assigned users do not count.',
  }),
  'idempotency-key': z
    .string()
    .regex(/^[!-~]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
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

/** An addition: a total that was asked for, and what became of it. */
const LicenseChange = z
  .object({
    id: z.string().meta({ description: 'Names the change.' }),
    assetId: z.string().meta({ description: 'The asset that it changes.' }),
    assetName: z.string().meta({ description: 'The present name of the asset.' }),
    type: z.string().meta({ description: 'Type of the asset.' }),
    from: seats.meta({ description: 'Purchased licenses before.' }),
    to: seats.meta({ description: 'The total that was asked for.' }),
    state: z.string().meta({
      description: `Open: CLAIMED, SENT, UNKNOWN (the vendor has not confirmed it). Settled: APPLIED, REJECTED by the vendor, FAILED (not applied). UNCLEAR: nobody can tell any more whether the vendor did it; the asset is free for another change, which is decided on a fresh read. DRIFT: made by the vendor. RECORDED: what a file that an operator imported said, which asked no vendor; ${others}`,
    }),
    vendorReason: z.string().optional().meta({
      description: 'Why the vendor refused, what is known of a failure, or what to do where it is UNCLEAR.',
    }),
    actor: actor.meta({ description: 'Who asked for it, or that the vendor did it.' }),
    createTime: timeOf('When it was asked for'),
    settleTime: timeOf('When the outcome was known').optional(),
    ...outlook,
  })
  .meta({ id: 'LicenseChange', description: 'A total that was asked for, and what became of it.' })

/** spec 4.2: the quantity is the total after the operation, not an increment. */
export const setQuantity = contract({
  ...calls.setQuantity,
  summary: "Set an asset's total number of licenses",
  permission: 'licenses-manager',
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
  examples: examples.setQuantity,
})

/** An addition: who asked for which total, when, and what became of it. */
export const listLicenseChanges = contract({
  ...calls.listLicenseChanges,
  summary: 'List changes of licenses, newest first',
  permission: 'licenses-manager',
  description: 'Who asked for which total, when, and what became of it.',
  query: z.object({
    filter: filterText(['asset', 'state'])
      .optional()
      .meta({
        description: `As in \`asset:a|b|state:APPLIED\`. Keys: asset (its id), state (CLAIMED, SENT, UNKNOWN, APPLIED, REJECTED, FAILED, UNCLEAR, DRIFT, RECORDED). ${FILTER_GRAMMAR}`,
      }),
    minCreationTime: unixTime('changes whose `createTime` is this time or later'),
    maxCreationTime: unixTime('changes whose `createTime` is in this second or earlier', 999),
    ...paging,
  }),
  output: z
    .object({
      licenseChanges: z.array(LicenseChange).meta({ description: 'The page.' }),
      ...pagingOutput,
    })
    .meta({ id: 'LicenseChangeList', description: 'A page of changes of licenses.' }),
  examples: examples.listLicenseChanges,
})

/** An addition: what became of a change whose answer was `outcome_unknown`. */
export const readLicenseChange = contract({
  ...calls.readLicenseChange,
  summary: 'Read one change of licenses',
  permission: 'licenses-manager',
  description: 'What became of a change, also of one whose answer was `outcome_unknown`.',
  params: z.object({
    change_id: z.string().min(1).max(100).meta({ description: 'The `id` of a change.' }),
  }),
  output: LicenseChange,
  examples: examples.readLicenseChange,
})
