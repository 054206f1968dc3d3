import { z } from 'zod'
import { contract, emptyBody } from '#lib/platform/api/contract.ts'
import { calls } from './calls.ts'
import * as examples from './examples.ts'
import * as shapes from './shapes.ts'

export type Need = z.output<typeof shapes.Need>
export type Needs = z.output<typeof shapes.Needs>

const params = z.object({
  need_id: z.string().min(1).max(700).meta({ description: 'The `id` of a need.' }),
})

/** An addition: what needs whoever asks. */
export const listNeeds = contract({
  ...calls.listNeeds,
  summary: 'What needs you',
  permission: 'any',
  description:
    'What is past due, changes of licenses without a good end, commitments that end within 90 days, flexible plans with licenses that are idle for 60 days or more, plans that are nearly full, and lines of the newest invoices that bill other licenses than are known: as far as the roles and billing profiles of the caller let them see it. With the role of nobody it is empty. Two currencies are never added.',
  output: shapes.Needs,
  examples: examples.listNeeds,
})

/** An addition: a member has seen a line. */
export const dismissNeed = contract({
  ...calls.dismissNeed,
  summary: 'Put a need aside until it changes',
  permission: 'any',
  description:
    'For the signed-in member alone. It counts as long as the need has this `version`: with other figures it is there again, also where they have changed meanwhile. The same again changes nothing. What does not need the member is 404.',
  params,
  body: z
    .strictObject({ version: shapes.version.meta({ description: 'Of the need, as it was seen.' }) })
    .meta({ id: 'SeenNeed', description: 'Which need is put aside.' }),
  output: shapes.Need,
  problems: ['permission_denied', 'not_found'],
  examples: examples.dismissNeed,
})

export const restoreNeed = contract({
  ...calls.restoreNeed,
  summary: 'Bring a need back that was put aside',
  permission: 'any',
  description: 'For the signed-in member alone. One that is there already stays as it is.',
  params,
  body: emptyBody,
  output: shapes.Need,
  problems: ['permission_denied', 'not_found'],
  examples: examples.restoreNeed,
})

/** An addition: whether a member is told by mail. */
export const readNeedsMail = contract({
  ...calls.readNeedsMail,
  summary: 'Read whether the signed-in member is mailed what needs them',
  permission: 'any',
  description: 'One mail a week, and none while nothing needs them.',
  output: shapes.Mail,
  problems: ['permission_denied'],
  examples: examples.readNeedsMail,
})

export const setNeedsMail = contract({
  ...calls.setNeedsMail,
  summary: 'Mail the signed-in member what needs them, or do not',
  permission: 'any',
  description: 'To the address of the member, from the next Monday on. Each mail has a link that ends it.',
  body: z
    .strictObject({ isOn: z.boolean().meta({ description: 'Whether they get it, from now on.' }) })
    .meta({ id: 'NewNeedsMail', description: 'Whether a member is to be mailed.' }),
  output: shapes.Mail,
  problems: ['permission_denied'],
  examples: examples.setNeedsMail,
})
