import { z } from 'zod'
import { contract } from '#lib/platform/api/contract.ts'
import type { Example } from '#lib/platform/api/openapi/example.ts'
import { priceRoutes } from '../routes.ts'

const readExamples: readonly Example[] = [
  { name: 'shown', summary: 'IT Managers see prices', answer: { status: 200, body: { areHidden: false } } },
]

const setExamples: readonly Example[] = [
  {
    name: 'hide',
    summary: 'Hide prices from members who may not see invoices',
    body: { areHidden: true },
    answer: { status: 200, body: { areHidden: true } },
  },
]

const areHidden = z.boolean().meta({
  description: 'Whether members with the role IT Manager alone see no price of a license.',
})

const PriceVisibility = z
  .object({ areHidden })
  .meta({ id: 'PriceVisibility', description: 'Who sees what a license costs.' })

/** An addition: who sees prices of licenses. */
export const readPriceVisibility = contract({
  ...priceRoutes.readPriceVisibility,
  summary: 'Read who sees what a license costs',
  permission: 'members-manager',
  description:
    'Members who may see invoices see prices. License managers see the last price of a license unless the customer hides it.',
  output: PriceVisibility,
  examples: readExamples,
})

export const setPriceVisibility = contract({
  ...priceRoutes.setPriceVisibility,
  summary: 'Show prices of licenses to IT Managers, or hide them',
  permission: 'members-manager',
  description:
    'It holds from the next request on, for members and keys that may not see invoices. A change is a row of the history; the same again is none.',
  body: z
    .strictObject({ areHidden })
    .meta({ id: 'NewPriceVisibility', description: 'Who is to see what a license costs.' }),
  output: PriceVisibility,
  examples: setExamples,
})
