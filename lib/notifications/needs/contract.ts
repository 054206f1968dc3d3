import { z } from 'zod'
import { currency, money } from '#lib/billing/invoices/contract.ts'
import { cost as nextCost } from '#lib/costs/renewals/contract.ts'
import { seats } from '#lib/licenses/assets/contract.ts'
import { outcome, surchargePercent } from '#lib/licenses/renewal-orders/contract.ts'
import { contract, emptyBody } from '#lib/platform/api/contract.ts'
import { timeOf } from '#lib/platform/lists/parameters.ts'
import { needRoutes } from '../routes.ts'
import * as examples from './examples.ts'
import { KINDS } from './rules.ts'

const asset = z.object({
  id: z.string().meta({ description: 'The asset.' }),
  name: z.string().meta({ description: 'Its name for people.' }),
  type: z.string().meta({ description: 'Product type.' }),
})

const cost = z
  .object({
    amount: money.meta({ description: 'At the price that was billed last, rounded to the currency.' }),
    currency,
    isMonthly: z.boolean().meta({
      description:
        'Whether it is for a month; else for what was billed last, whose time is not whole months.',
    }),
  })
  .optional()
  .meta({ description: 'Cost of these licenses. Absent where no price is known, or may be seen.' })

const pastDue = z.object({
  billingProfile: z
    .object({
      id: z.string().meta({ description: 'The billing profile.' }),
      name: z.string().meta({ description: 'Its name for people.' }),
    })
    .meta({ description: 'Who is billed.' }),
  count: z.int().min(1).meta({ description: 'Invoices that are past due.' }),
  amount: money.meta({ description: 'What is left to pay of them.' }),
  currency,
  dueDate: timeOf('When the one that is due longest was due'),
  days: z.int().min(1).meta({ description: 'How many days ago that was, in UTC.' }),
})

const change = z.object({
  id: z.string().meta({ description: 'Names the change: `/billing/v1/license-changes/{change_id}`.' }),
  outcome: z.enum(['confirming', 'unclear', 'refused']).meta({
    description:
      'Whether its vendor has not confirmed it yet, it can no longer be determined, or it was refused or not applied.',
  }),
  from: seats.meta({ description: 'Purchased licenses before.' }),
  to: seats.meta({ description: 'The total that was asked for.' }),
  reason: z.string().optional().meta({ description: 'The outcome or its reason, in words.' }),
  time: timeOf('When it was asked for'),
})

const renewal = z.object({
  time: timeOf('When the commitment ends'),
  days: z.int().min(0).meta({ description: 'In how many days, in UTC.' }),
  purchased: seats.meta({ description: 'Purchased licenses.' }),
  idle: seats.meta({ description: 'Unassigned licenses.' }),
  cost,
  decideBy: timeOf('The last whole day of UTC before that, on which the renewal can be decided on'),
  outcome: outcome.optional(),
  surchargePercent: surchargePercent.optional(),
  nextCost: nextCost.optional().meta({
    description:
      'What follows the end costs, with the surcharge; absent where nothing is charged, or is known.',
  }),
  renewalType: z
    .string()
    .optional()
    .meta({ description: 'What happens by itself then, as the vendor calls it.' }),
  scheduledTotal: seats.optional().meta({ description: 'The total that the vendor sets then.' }),
})

const idle = z.object({
  purchased: seats.meta({ description: 'Purchased licenses.' }),
  count: z.int().min(1).meta({ description: 'Licenses that were unassigned for all of the last 60 days.' }),
  lowerTo: seats.meta({ description: 'The total to which the plan can be lowered now.' }),
  cost,
})

const nearlyFull = z.object({
  purchased: seats.meta({ description: 'Purchased licenses.' }),
  assigned: seats.meta({ description: 'Assigned to users.' }),
  days: z.int().min(0).meta({
    description:
      'In how many days none is free, at the pace of the last 90 days, or of those that are known.',
  }),
})

const unmatchedLines = z.object({
  invoice: z
    .object({
      id: z.string().meta({ description: 'The invoice.' }),
      number: z.string().meta({ description: 'As its issuer numbers it.' }),
      day: timeOf('Its date'),
    })
    .meta({
      description: 'Their invoice: the newest one of a platform that sells licenses.',
    }),
  count: z.int().min(1).meta({ description: 'Lines that bill other licenses than are known.' }),
  amount: money.meta({ description: 'What is billed beyond the known licenses; below 0: less is.' }),
  currency,
})

const version = z.string().regex(/^[0-9a-f]{32}$/, 'must be the `version` of a need')

/** Addition: an item that needs the caller's attention. */
const Need = z
  .object({
    id: z.string().meta({ description: 'Names the line: its kind, and what it is about.' }),
    version: version.meta({
      description: 'A digest of its figures. It moves when they do, and not with the days.',
    }),
    kind: z.enum(KINDS).meta({
      description: 'Says which of the members below is there: `past-due` has `pastDue`, and so on.',
    }),
    isDismissed: z.boolean().meta({
      description:
        'Whether the signed-in member has dismissed it in its current state. Always false for an API key.',
    }),
    url: z.url().meta({ description: 'The page of the console where it is seen to.' }),
    asset: asset.optional().meta({ description: 'Which asset it is about, where it is about one.' }),
    pastDue: pastDue.optional().meta({ description: 'Of the kind `past-due`.' }),
    change: change.optional().meta({ description: 'Of the kind `change`.' }),
    renewal: renewal.optional().meta({ description: 'Of the kind `renewal`.' }),
    idle: idle.optional().meta({ description: 'Of the kind `idle`.' }),
    nearlyFull: nearlyFull.optional().meta({ description: 'Of the kind `nearly-full`.' }),
    unmatchedLines: unmatchedLines.optional().meta({ description: 'Of the kind `unmatched-lines`.' }),
  })
  .meta({ id: 'Need', description: 'Something that needs attention, and that the caller can act on.' })

const Needs = z
  .object({
    count: z.int().min(0).meta({ description: 'Those that are not dismissed.' }),
    needs: z.array(Need).meta({ description: 'By kind, the most urgent first.' }),
    looked: z.array(z.enum(KINDS)).meta({ description: 'The kinds that the caller’s roles let them see.' }),
  })
  .meta({ id: 'NeedList', description: 'What needs the caller’s attention.' })

const Mail = z
  .object({
    isOn: z.boolean().meta({ description: 'Whether the member gets it.' }),
    isPossible: z.boolean().meta({ description: 'Whether this console sends mails at all.' }),
  })
  .meta({ id: 'NeedsMail', description: 'Weekly email of what needs attention.' })

export type Need = z.output<typeof Need>
export type Needs = z.output<typeof Needs>

const params = z.object({
  need_id: z.string().min(1).max(700).meta({ description: 'The `id` of a need.' }),
})

/** Addition: the items that need the caller's attention. */
export const listNeeds = contract({
  ...needRoutes.listNeeds,
  summary: 'List what needs attention',
  permission: 'any',
  description:
    'What is past due, license changes that failed or are unconfirmed, commitments that end within 90 days, flexible plans with licenses that are unused for 60 days or more, plans that are nearly full, and lines of the newest invoices that bill other licenses than the customer has: according to the caller’s roles and billing profiles. Without a role it is empty. Two currencies are never added.',
  cachedBy: ['day', 'roles', 'billingProfiles', 'member'],
  output: Needs,
  examples: examples.listNeeds,
})

/** An addition: a member has seen a line. */
export const dismissNeed = contract({
  ...needRoutes.dismissNeed,
  summary: 'Put a need aside until it changes',
  permission: 'any',
  description:
    'For the signed-in member alone. It counts as long as the need has this `version`: with other figures it is there again, also where they have changed meanwhile. The same again changes nothing. What does not need the member is 404.',
  params,
  body: z
    .strictObject({ version: version.meta({ description: 'Of the need, as it was seen.' }) })
    .meta({ id: 'SeenNeed', description: 'Which need is put aside.' }),
  output: Need,
  problems: ['permission_denied', 'not_found'],
  examples: examples.dismissNeed,
})

export const restoreNeed = contract({
  ...needRoutes.restoreNeed,
  summary: 'Bring a need back that was put aside',
  permission: 'any',
  description: 'For the signed-in member alone. One that is there already stays as it is.',
  params,
  body: emptyBody,
  output: Need,
  problems: ['permission_denied', 'not_found'],
  examples: examples.restoreNeed,
})

/** Addition: whether the weekly mail to the member is on. */
export const readNeedsMail = contract({
  ...needRoutes.readNeedsMail,
  summary: 'Read whether the signed-in member is mailed what needs them',
  permission: 'any',
  description: 'One mail a week, and none while nothing needs them.',
  output: Mail,
  problems: ['permission_denied'],
  examples: examples.readNeedsMail,
})

export const setNeedsMail = contract({
  ...needRoutes.setNeedsMail,
  summary: 'Mail the signed-in member what needs them, or do not',
  permission: 'any',
  description: 'To the address of the member, from the next Monday on. Each mail has a link that ends it.',
  body: z
    .strictObject({ isOn: z.boolean().meta({ description: 'Whether they get it, from now on.' }) })
    .meta({ id: 'NewNeedsMail', description: 'Whether a member is to be mailed.' }),
  output: Mail,
  problems: ['permission_denied'],
  examples: examples.setNeedsMail,
})
