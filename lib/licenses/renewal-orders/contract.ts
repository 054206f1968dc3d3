import { z } from 'zod'
import { params, seats } from '#lib/licenses/assets/contract.ts'
import { MAX_QUANTITY } from '#lib/licenses/assets/quantity-rule.ts'
import { OUTCOMES } from '#lib/licenses/assets/rules.ts'
import { contract, emptyBody } from '#lib/platform/api/contract.ts'
import { ifMatch } from '#lib/platform/api/request.ts'
import { actor } from '#lib/platform/history/schemas.ts'
import { timeOf } from '#lib/platform/lists/parameters.ts'
import { renewalOrderRoutes } from '../routes.ts'
import * as examples from './examples.ts'

/** Outcome of the end of a commitment: only `ends` ends the charges. */
export const outcome = z.enum(OUTCOMES).meta({
  description:
    '`renews`: another term begins. `extended-term`: the plan continues as a paid Extended Service Term, from month to month, at a surcharge. `flexible`: it continues without a commitment. `ends`: the vendor shows a cancellation. Absent where the vendor does not state it.',
})
export const surchargePercent = z.number().meta({
  description:
    'Surcharge of an Extended Service Term in percent: the vendor’s published figure, as the operator has set it.',
})

const action = z.enum(['cancel', 'extended-term'])

const renewalType = z
  .string()
  .meta({ description: 'One of the vendor’s own ways to renew, such as RENEW_CURRENT_USERS_YEARLY_PAY.' })

const order = z
  .object({
    id: z.string().meta({ description: 'Names the order.' }),
    quantity: seats.optional().meta({ description: 'The total of the next term.' }),
    renewalType: renewalType.optional(),
    action: action
      .optional()
      .meta({ description: 'Where no next term was ordered: `cancel`, or `extended-term`.' }),
    time: timeOf('When the term ends for which it was ordered'),
    createTime: timeOf('When it was ordered'),
    actor: actor.meta({ description: 'Who ordered it.' }),
    state: z.string().meta({
      description:
        'STANDING; settled: APPLIED, REJECTED, WITHDRAWN, REPLACED, LOST (another party changed or removed it at the vendor), UNCLEAR (a person has to look at it: nothing shows its outcome, or the vendor carried out what had been withdrawn); others may come.',
    }),
    isPlaced: z.boolean().meta({
      description:
        'Whether the vendor shows this order now. False: it is still to be placed, or placed again after a change of the licenses.',
    }),
    isLeaving: z
      .literal(true)
      .optional()
      .meta({ description: 'It was withdrawn, and the vendor has not confirmed that yet.' }),
    reason: z.string().optional().meta({ description: 'Why the vendor lacks it, or its outcome, in words.' }),
    settleTime: timeOf('When its outcome was known').optional(),
  })
  .meta({ id: 'RenewalOrder', description: 'What a person ordered for the next term.' })

const Renewal = z
  .object({
    time: timeOf('When the commitment ends, where that is known').optional(),
    decideBy: timeOf(
      'The last whole day of UTC before that, on which the renewal can be decided on',
    ).optional(),
    outcome: outcome.optional(),
    surchargePercent: surchargePercent.optional(),
    quantity: seats.meta({ description: 'Purchased licenses now.' }),
    assigned: seats.meta({ description: 'Assigned to users now.' }),
    renewalType: z
      .string()
      .optional()
      .meta({ description: 'What happens then by itself, in the vendor’s words.' }),
    takes: z
      .enum(['quantity', 'renewalType', 'nothing'])
      .meta({ description: 'What an order can name: a total, or one of `renewalTypes`.' }),
    renewalTypes: z
      .array(renewalType)
      .optional()
      .meta({ description: 'Where `takes` is `renewalType`: those that can be ordered.' }),
    actions: z
      .array(action)
      .optional()
      .meta({ description: 'What can be ordered instead of a next term; absent where nothing can.' }),
    because: z
      .enum(['not_active', 'no_commitment', 'not_offered', 'no_end', 'ended', 'ends'])
      .optional()
      .meta({
        description:
          'Where `takes` is `nothing`. `not_active`: the subscription is not active. `no_commitment`: the plan has no term. `not_offered`: its vendor takes no such order. `no_end`: it is not known when the term ends, or how long the next one is. `ended`: the term has just ended. `ends`: another party has set at the vendor that the plan is not renewed.',
      }),
    order: order.optional().meta({ description: 'The active order.' }),
    lastOrder: order
      .optional()
      .meta({ description: 'Where none is active: the last one, with its outcome.' }),
  })
  .meta({ id: 'AssetRenewal', description: 'What happens with an asset at the end of its commitment.' })

/** A total, one of the vendor's ways, or an action, and nothing else. */
const RenewalRequest = z
  .strictObject({
    quantity: z
      .int({ error: 'must be a whole number, as a JSON number' })
      .min(0, 'must be 0 or more')
      .max(MAX_QUANTITY, 'must be 1,000,000 or less')
      .optional()
      .meta({ description: 'The total of the next term. It may be higher or lower than now.' }),
    renewalType: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: 'One of `renewalTypes`, where the vendor takes no total.' }),
    action: action
      .optional()
      .meta({ description: 'One of `actions`: `cancel` ends the plan, and needs `confirm`.' }),
    confirm: z
      .string()
      .max(300)
      .optional()
      .meta({ description: 'The name of the asset, which confirms an action.' }),
  })
  .refine(
    ({ quantity, renewalType: type, action }) =>
      [quantity, type, action].filter((one) => one !== undefined).length === 1,
    {
      message: 'must have one of `quantity`, `renewalType` and `action`',
    },
  )
  .refine(({ action, confirm }) => confirm === undefined || action !== undefined, {
    message: '`confirm` confirms an `action`',
    path: ['confirm'],
  })
  .meta({ id: 'RenewalRequest', description: 'What is wanted for the next term.' })

export type Renewal = z.output<typeof Renewal>
export type RenewalOrder = NonNullable<Renewal['order']>

const headers = z.object({
  'if-match': ifMatch
    .optional()
    .meta({ description: 'An ETag of the renewal: 412 if another order is active since.' }),
})
// Additions to the specification.
const call = { permission: 'licenses-manager', params, output: Renewal } as const

export const readRenewal = contract({
  ...renewalOrderRoutes.readRenewal,
  ...call,
  summary: 'Read what happens with an asset at its renewal',
  description:
    'When the commitment ends, what happens then by itself, what can be ordered for the next term, and what was. Its ETag begins with the active order, for If-Match.',
  problems: ['quantity_not_supported'],
  examples: examples.readRenewal,
})

export const orderRenewal = contract({
  ...renewalOrderRoutes.orderRenewal,
  ...call,
  summary: 'Order the licenses of the next term, or its end',
  limit: 'changes',
  description:
    'Nothing changes before the commitment ends. `quantity` renews the plan with that total; `action` cancels it at the end (`confirm` names the asset), or continues it as a paid Extended Service Term, where the vendor takes that: else 422 `renewal_not_supported`. It replaces the active order; the same again changes nothing. It is kept also where the vendor cannot be asked now: then `isPlaced` is false, and the vendor gets it as soon as it answers. `change_in_progress` where the asset is being changed at this moment.',
  headers,
  body: RenewalRequest,
  problems: [
    ...(['quantity_not_supported', 'version_mismatch', 'subscription_not_active'] as const),
    ...(['renewal_not_supported', 'vendor_rejected', 'change_in_progress'] as const),
  ],
  examples: examples.orderRenewal,
})

export const withdrawRenewal = contract({
  ...renewalOrderRoutes.withdrawRenewal,
  ...call,
  summary: 'Withdraw what was ordered for the next term',
  limit: 'changes',
  description:
    'Then happens what would have happened by itself. Where nothing is ordered, nothing changes. Where the vendor has not confirmed it yet, `isLeaving` says so; while that lasts, the person who ordered and the operators get a mail each day.',
  headers,
  body: emptyBody,
  problems: ['quantity_not_supported', 'version_mismatch', 'change_in_progress'],
  examples: examples.withdrawRenewal,
})
