import { z } from 'zod'
import { Invoice } from '#lib/billing/invoices/contract.ts'
import { assetType } from '#lib/licenses/assets/contract.ts'
import { contract } from '#lib/platform/api/contract.ts'
import { matchRoutes } from '../routes.ts'
import * as examples from './examples.ts'

export type Matches = z.output<typeof listMatches.output>

/** Most matches per kind; a longer search text narrows them down. */
export const MAX_MATCHES = 5

const MatchingAsset = z.object({
  id: z.string().meta({ description: 'As the call of one asset names it.' }),
  type: assetType,
  name: z.string().meta({ description: 'What it is called.' }),
  customerDomain: z.string().optional().meta({ description: 'The domain that it is for.' }),
  quantity: z
    .int()
    .optional()
    .meta({ description: 'Licenses purchased. Absent where there are none to have.' }),
})

const Company = z.object({
  id: z.string().meta({ description: 'As the filter `billingProfile` of invoices names it.' }),
  name: z.string().meta({ description: 'The company, as invoices address it.' }),
})

/** Search of the command palette (Ctrl K). An addition to the specified API. */
export const listMatches = contract({
  ...matchRoutes.listMatches,
  summary: 'What a few letters find, of every kind',
  permission: 'any',
  description: `At most ${MAX_MATCHES} of each kind that the caller may see, the newest of them; of what they may not see, none. The lists of each kind have all of them.`,
  query: z.object({
    search: z
      .string()
      .max(200)
      .regex(/\S/, 'must have a character')
      .trim()
      .meta({ description: 'As in the lists of assets and of invoices; of a company, part of its name.' }),
  }),
  output: z
    .object({
      assets: z.array(MatchingAsset).max(MAX_MATCHES).meta({ description: 'Assets.' }),
      invoices: z.array(Invoice).max(MAX_MATCHES).meta({ description: 'Issued invoices.' }),
      billingProfiles: z.array(Company).max(MAX_MATCHES).meta({ description: 'Companies that are billed.' }),
    })
    .meta({ id: 'Matches', description: 'What was found.' }),
  examples: examples.listMatches,
})
