import { z } from 'zod'
import { contract, emptyBody } from '#lib/platform/api/contract.ts'
import { ONE_LINE } from '#lib/platform/api/request.ts'
import { viewRoutes } from '../routes.ts'
import * as examples from './examples.ts'
import { MAX_NAME_LENGTH, MAX_VIEWS, VIEW_PATHS } from './rules.ts'

const ViewName = z
  .string()
  .trim()
  .min(1, 'is empty')
  .max(MAX_NAME_LENGTH, `must have at most ${MAX_NAME_LENGTH} characters`)
  .regex(ONE_LINE, 'must be one line')

const path = z.enum(VIEW_PATHS, { error: `must be one of ${VIEW_PATHS.join(', ')}` })

const query = z.string().max(2000, 'must have at most 2,000 characters')

/** Saved view: a name for the address of a list. An addition to the specified API. */
const View = z
  .object({
    id: z.string().meta({ description: 'Names the view.' }),
    name: z.string().meta({ description: 'What it is called, in one line.' }),
    path: path.meta({ description: 'The screen of the console.' }),
    query: z.string().meta({
      description:
        'What the screen shows, as a query string without `?`: filters, search and order. May be empty.',
    }),
    url: z.url().meta({ description: 'Its address in the console.' }),
    isShared: z
      .boolean()
      .meta({ description: 'Whether it is of all of the customer; else of the member who asks.' }),
    isPinned: z.boolean().meta({ description: 'Whether it is in the navigation.' }),
    position: z.int().min(0).meta({
      description: 'Its place among those of the same screen that are shared, or among those that are not.',
    }),
    mayChange: z.boolean().meta({ description: 'Whether the caller may change and remove it.' }),
    createTime: z.int().meta({ description: 'When it was saved, as epoch time in milliseconds.' }),
  })
  .meta({ id: 'View', description: 'A name for an address of a list.' })

const Views = z
  .object({
    views: z.array(View).meta({ description: 'By screen, own ones first, each in its order.' }),
    mayShare: z
      .boolean()
      .meta({ description: 'Whether the caller may share views with all members of the customer.' }),
  })
  .meta({ id: 'ViewList', description: 'Saved views.' })

export type View = z.output<typeof View>
export type Views = z.output<typeof Views>

const params = z.object({
  view_id: z.string().min(1).max(300).meta({ description: 'The `id` of a view.' }),
})

const OF_QUERY =
  'Filters, search and order as the call of that list takes them, without `?`. A page is no part of it.'

/** Lists the caller's views and the shared ones. An addition to the specified API. */
export const listViews = contract({
  ...viewRoutes.listViews,
  cachedBy: ['roles', 'member'],
  showsLicenses: false,
  summary: 'List saved views',
  permission: 'any',
  description:
    'Those of the signed-in member, and those that are shared with all of the customer, of the screens that the caller may open. An API key has shared ones only. A view is an address: what it shows depends on the member who opens it.',
  output: Views,
  examples: examples.listViews,
})

export const createView = contract({
  ...viewRoutes.createView,
  summary: 'Save a view',
  permission: 'any',
  description: `For the signed-in member alone; an Admin may share it with all of the customer. A member has at most ${MAX_VIEWS}, and ${MAX_VIEWS} are shared. A name is there once among the member's own, and once among shared ones, whatever its case.`,
  body: z
    .strictObject({
      name: ViewName.meta({ description: 'What it is called, in one line.' }),
      path: path.meta({ description: 'The screen of the console.' }),
      query: query.default('').meta({ description: OF_QUERY }),
      isPinned: z.boolean().default(true).meta({ description: 'Whether it is in the navigation.' }),
      isShared: z.boolean().default(false).meta({ description: 'Whether it is of all of the customer.' }),
    })
    .meta({ id: 'NewView', description: 'A view that is to be saved.' }),
  output: View,
  problems: ['permission_denied', 'view_exists', 'views_full'],
  examples: examples.createView,
})

export const changeView = contract({
  ...viewRoutes.changeView,
  summary: 'Rename, pin, move or share a view, or set what it shows',
  permission: 'any',
  description:
    'What is left out stays. Shared views are changed by Admins, and own ones by their member. An Admin who takes a shared one back has it alone. Of two changes at once the later one stays.',
  params,
  body: z
    .strictObject({
      name: ViewName.optional().meta({ description: 'What it is called, in one line.' }),
      query: query.optional().meta({ description: OF_QUERY }),
      isPinned: z.boolean().optional().meta({ description: 'Whether it is in the navigation.' }),
      isShared: z.boolean().optional().meta({ description: 'Whether it is of all of the customer.' }),
      position: z.int().min(0).max(MAX_VIEWS).optional().meta({
        description: 'Its place among those beside it; beyond their end it is the last.',
      }),
    })
    .meta({ id: 'ChangedView', description: 'What is to be another way.' }),
  output: View,
  problems: ['permission_denied', 'not_found', 'view_exists', 'views_full'],
  examples: examples.changeView,
})

export const removeView = contract({
  ...viewRoutes.removeView,
  summary: 'Remove a view',
  permission: 'any',
  description: 'Answers with the view as it was. What it showed stays.',
  params,
  body: emptyBody,
  output: View,
  problems: ['permission_denied', 'not_found'],
  examples: examples.removeView,
})
