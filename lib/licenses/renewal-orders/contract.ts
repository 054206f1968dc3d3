import { z } from 'zod'
import { params } from '#lib/licenses/assets/contract.ts'
import { contract, emptyBody } from '#lib/platform/api/contract.ts'
import { ifMatch } from '#lib/platform/api/entity-tag.ts'
import { renewalCalls } from '../routes.ts'
import * as examples from './examples.ts'
import * as shapes from './shapes.ts'

export type Renewal = z.output<typeof shapes.Renewal>
export type RenewalOrder = NonNullable<Renewal['order']>

const headers = z.object({
  'if-match': ifMatch.optional().meta({
    description: 'An ETag of the renewal: 412 if another order stands since.',
  }),
})

/** An addition: what happens at the end of a commitment, and what was ordered for it. */
export const readRenewal = contract({
  ...renewalCalls.readRenewal,
  summary: 'Read what happens with an asset at its renewal',
  permission: 'licenses-manager',
  description:
    'When the commitment ends, what happens then by itself, what can be ordered for the next term, and what was. Its ETag begins with the order that stands, for If-Match.',
  params,
  output: shapes.Renewal,
  problems: ['quantity_not_supported'],
  examples: examples.readRenewal,
})

/** An addition: a total for the next term, which takes effect when this one ends. */
export const orderRenewal = contract({
  ...renewalCalls.orderRenewal,
  summary: 'Order the licenses of the next term',
  permission: 'licenses-manager',
  limit: 'changes',
  description:
    'Nothing changes before the commitment ends. It takes the place of the order that stands; the same again changes nothing. It is kept also where the vendor can not be asked now: then `isPlaced` is false, and the vendor is told as soon as it answers. `change_in_progress` where the asset is being changed at this moment.',
  params,
  headers,
  body: shapes.RenewalRequest,
  output: shapes.Renewal,
  problems: [
    'quantity_not_supported',
    'version_mismatch',
    'subscription_not_active',
    'renewal_not_supported',
    'vendor_rejected',
    'change_in_progress',
  ],
  examples: examples.orderRenewal,
})

/** An addition: what was ordered is not wanted any more. */
export const withdrawRenewal = contract({
  ...renewalCalls.withdrawRenewal,
  summary: 'Take back what was ordered for the next term',
  permission: 'licenses-manager',
  limit: 'changes',
  description:
    'Then happens what would have happened by itself. Where nothing is ordered, nothing changes. Where the vendor can not be asked now, `isLeaving` says that it is still to be told.',
  params,
  headers,
  body: emptyBody,
  output: shapes.Renewal,
  problems: ['quantity_not_supported', 'version_mismatch', 'change_in_progress'],
  examples: examples.withdrawRenewal,
})
