import { z } from 'zod'
import { contract, paging, pagingOutput, unixTime } from '#lib/api/contract.ts'
import { params } from '#lib/assets/contract.ts'
import { Asset } from '#lib/assets/shapes.ts'
import { filterText } from '#lib/lists/filter.ts'
import { calls } from './calls.ts'
import * as shapes from './shapes.ts'

export type LicenseChange = z.output<typeof shapes.LicenseChange>

/** spec 4.2: the quantity is the total after the operation, not an increment. */
export const setQuantity = contract({
  ...calls.setQuantity,
  summary: "Set an asset's total number of licenses",
  permission: 'licenses-manager',
  params,
  query: z.object({
    dryRun: z.enum(['true', 'false']).optional().meta({ description: 'Checks, and changes nothing.' }),
  }),
  headers: shapes.QuantityHeaders,
  body: shapes.QuantityBody,
  output: Asset,
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

/** An addition: who asked for which total, when, and what became of it. */
export const listLicenseChanges = contract({
  ...calls.listLicenseChanges,
  summary: 'List changes of licenses, newest first',
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
  ...calls.readLicenseChange,
  summary: 'Read one change of licenses',
  permission: 'licenses-manager',
  params: z.object({ change_id: z.string().min(1).max(100) }),
  output: shapes.LicenseChange,
  problems: ['not_found'],
})
