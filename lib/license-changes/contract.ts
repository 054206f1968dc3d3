import { z } from 'zod'
import { contract, paging, pagingOutput } from '#lib/api/contract.ts'
import { switchText, unixTime } from '#lib/api/query-text.ts'
import { params } from '#lib/assets/contract.ts'
import { Asset } from '#lib/assets/shapes.ts'
import { FILTER_GRAMMAR, filterText } from '#lib/lists/filter.ts'
import { calls } from './calls.ts'
import * as examples from './examples.ts'
import * as shapes from './shapes.ts'

export type LicenseChange = z.output<typeof shapes.LicenseChange>

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
  headers: shapes.QuantityHeaders,
  body: shapes.QuantityBody,
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
        description: `As in \`asset:a|b|state:APPLIED\`. Keys: asset (its id), state (CLAIMED, SENT, UNKNOWN, APPLIED, REJECTED, FAILED, DRIFT). ${FILTER_GRAMMAR}`,
      }),
    minCreationTime: unixTime('changes of this time or later'),
    maxCreationTime: unixTime('changes of this second or earlier', 999),
    ...paging,
  }),
  output: z
    .object({
      licenseChanges: z.array(shapes.LicenseChange).meta({ description: 'The page.' }),
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
  output: shapes.LicenseChange,
  examples: examples.readLicenseChange,
})
