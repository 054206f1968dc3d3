import { z } from 'zod'
import { integerText } from '#lib/platform/api/request.ts'

export const DEFAULT_MAX_RESULTS = 50

/** Parameters of each list. */
export const paging = {
  maxResults: integerText(1, 250, true)
    .optional()
    .meta({
      description: 'Rows per page: 1 to 250. More is read as 250.',
      json: { type: 'integer', minimum: 1, default: DEFAULT_MAX_RESULTS },
    }),
  pageToken: z
    .string()
    .min(1, 'is empty')
    // An id in the filter may have 300 characters of four bytes.
    .max(2000, 'is too long')
    .optional()
    .meta({
      description: 'The `pageToken` or `previousPageToken` of an answer to the same filters and order.',
    }),
}

/** Paging members of each list's answer, next to its rows. */
export const pagingOutput = {
  rowCount: z.int().min(0).meta({ description: 'Number of rows in this page.' }),
  pageToken: z.string().optional().meta({ description: 'Leads to the next page. Absent on the last.' }),
  previousPageToken: z.string().optional().meta({ description: 'Leads back. Absent on the first page.' }),
}

/** Returns the schema of a page of a list: its rows, an array that is always there, also when empty, and its paging members. */
export function pageSchema<const Name extends string, Row extends z.ZodType>(name: Name, row: Row) {
  const rows = z.array(row).meta({ description: 'The page.' })
  return z.object({ [name]: rows, ...pagingOutput } as Record<Name, typeof rows> & typeof pagingOutput)
}
