import { z } from 'zod'
import { contract, emptyBody } from '#lib/platform/api/contract.ts'
import { calls } from './calls.ts'
import * as examples from './examples.ts'
import { MOST_VIEWS } from './rules.ts'
import * as shapes from './shapes.ts'

export type View = z.output<typeof shapes.View>
export type Views = z.output<typeof shapes.Views>

const params = z.object({
  view_id: z.string().min(1).max(300).meta({ description: 'The `id` of a view.' }),
})

const OF_QUERY =
  'Filters, search and order as the call of that list takes them, without `?`. A page is no part of it.'

/** An addition: the caller's views, and those of all. */
export const listViews = contract({
  ...calls.listViews,
  summary: 'List saved views',
  permission: 'any',
  description:
    'Those of the signed-in member, and those that are shared with all of the customer, of the screens that the caller may open. An API key has shared ones only. A view is an address: what it shows is up to whoever opens it.',
  output: shapes.Views,
  examples: examples.listViews,
})

export const createView = contract({
  ...calls.createView,
  summary: 'Save a view',
  permission: 'any',
  description: `For the signed-in member alone; an Admin may share it with all of the customer. A member has at most ${MOST_VIEWS}, and ${MOST_VIEWS} are shared. A name is there once among the member's own, and once among shared ones, whatever its case.`,
  body: z
    .strictObject({
      name: shapes.ViewName.meta({ description: 'What it is called, in one line.' }),
      path: shapes.path.meta({ description: 'The screen of the console.' }),
      query: shapes.query.default('').meta({ description: OF_QUERY }),
      isPinned: z.boolean().default(true).meta({ description: 'Whether it stands in the navigation.' }),
      isShared: z.boolean().default(false).meta({ description: 'Whether it is of all of the customer.' }),
    })
    .meta({ id: 'NewView', description: 'A view that is to be saved.' }),
  output: shapes.View,
  problems: ['permission_denied', 'view_exists', 'views_full'],
  examples: examples.createView,
})

export const changeView = contract({
  ...calls.changeView,
  summary: 'Rename, pin, move or share a view, or set what it shows',
  permission: 'any',
  description:
    'What is left out stays. Shared views are changed by Admins, and own ones by their member. An Admin who takes a shared one back has it alone. Of two changes at once the later one stays.',
  params,
  body: z
    .strictObject({
      name: shapes.ViewName.optional().meta({ description: 'What it is called, in one line.' }),
      query: shapes.query.optional().meta({ description: OF_QUERY }),
      isPinned: z.boolean().optional().meta({ description: 'Whether it stands in the navigation.' }),
      isShared: z.boolean().optional().meta({ description: 'Whether it is of all of the customer.' }),
      position: z.int().min(0).max(MOST_VIEWS).optional().meta({
        description: 'Its place among those beside it; beyond their end it is the last.',
      }),
    })
    .meta({ id: 'ChangedView', description: 'What is to be another way.' }),
  output: shapes.View,
  problems: ['permission_denied', 'not_found', 'view_exists', 'views_full'],
  examples: examples.changeView,
})

export const removeView = contract({
  ...calls.removeView,
  summary: 'Remove a view',
  permission: 'any',
  description: 'Answers with the view as it was. What it showed stays.',
  params,
  body: emptyBody,
  output: shapes.View,
  problems: ['permission_denied', 'not_found'],
  examples: examples.removeView,
})
