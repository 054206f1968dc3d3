import { z } from 'zod'
import { contract } from '#lib/platform/api/contract.ts'
import { columnRoutes } from '../routes.ts'
import * as examples from './examples.ts'
import { LISTS } from './rules.ts'

const list = z.enum(LISTS, { error: `must be one of ${LISTS.join(', ')}` })

const OneList = z
  .object({
    list: list.meta({ description: 'Which list of the console.' }),
    columns: z.array(z.string()).meta({ description: 'Those that are shown, in their order.' }),
    isOwn: z
      .boolean()
      .meta({ description: 'Whether the member has chosen them; else they are the usual ones.' }),
    all: z
      .array(z.string())
      .meta({ description: 'All that there are, in their usual order. The first is always shown.' }),
  })
  .meta({ id: 'ListColumns', description: 'What a member sees of a list.' })

/** Reads the signed-in member's columns. An addition to the specified API. */
export const readListColumns = contract({
  ...columnRoutes.readListColumns,
  cachedBy: ['member'],
  showsLicenses: false,
  summary: 'Read which columns the signed-in member sees in each list',
  permission: 'any',
  description: 'Of the console’s screens. What the API and exports answer does not depend on it.',
  output: z
    .object({ lists: z.array(OneList).meta({ description: 'Each list.' }) })
    .meta({ id: 'AllListColumns', description: 'What a member sees of each list.' }),
  problems: ['permission_denied'],
  examples: examples.readListColumns,
})

export const setListColumns = contract({
  ...columnRoutes.setListColumns,
  summary: 'Choose which columns the signed-in member sees in a list, and their order',
  permission: 'any',
  description:
    'The first column names the rows, and stays the first. `null` goes back to the usual ones. Of two choices at once the later one stays.',
  body: z
    .strictObject({
      list: list.meta({ description: 'Which list of the console.' }),
      columns: z
        .array(z.string().max(100))
        .max(50)
        .nullable()
        .meta({ description: 'Those that are to be shown, in their order; or null.' }),
    })
    .meta({ id: 'NewListColumns', description: 'What a member wants to see of a list.' }),
  output: OneList,
  problems: ['permission_denied'],
  examples: examples.setListColumns,
})
