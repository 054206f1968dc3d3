import { z } from 'zod'
import { LONGEST_NAME, VIEW_PATHS } from './rules.ts'

export const ViewName = z
  .string()
  .trim()
  .min(1, 'is empty')
  .max(LONGEST_NAME, `must have at most ${LONGEST_NAME} characters`)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'must be one line')

export const path = z.enum(VIEW_PATHS, { error: `must be one of ${VIEW_PATHS.join(', ')}` })

export const query = z.string().max(2000, 'must have at most 2,000 characters')

/** An addition: a name for an address of a list. */
export const View = z
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
    isPinned: z.boolean().meta({ description: 'Whether it stands in the navigation.' }),
    position: z.int().min(0).meta({
      description: 'Its place among those of the same screen that are shared, or among those that are not.',
    }),
    mayChange: z.boolean().meta({ description: 'Whether whoever asks may change and remove it.' }),
    createTime: z.int().meta({ description: 'When it was saved, as epoch time in milliseconds.' }),
  })
  .meta({ id: 'View', description: 'A name for an address of a list.' })

export const Views = z
  .object({
    views: z.array(View).meta({ description: 'By screen, own ones first, each in its order.' }),
    mayShare: z
      .boolean()
      .meta({ description: 'Whether whoever asks may share views with all of the customer.' }),
  })
  .meta({ id: 'ViewList', description: 'Saved views.' })
