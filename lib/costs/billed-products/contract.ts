import { z } from 'zod'
import { contract } from '#lib/platform/api/contract.ts'
import { FILTER_GRAMMAR, filterText } from '#lib/platform/lists/filter.ts'
import { unixTime } from '#lib/platform/lists/parameters.ts'
import { calls } from './calls.ts'
import * as examples from './examples.ts'
import { MOST_PRODUCTS } from './rules.ts'
import * as shapes from './shapes.ts'

export type BilledProducts = z.output<typeof shapes.BilledProducts>
export type BilledProduct = BilledProducts['products'][number]

/** An addition. */
export const readBilledProducts = contract({
  ...calls.readBilledProducts,
  permission: 'invoice-viewer',
  summary: 'What was billed for a product, by month',
  description: `Of issued invoices, the line items whose \`description\` has the text, added up by product, currency and month of the invoice date. The ${MOST_PRODUCTS} products with the most invoices are told.`,
  query: z.object({
    product: z.string({ error: 'must be part of a product’s name' }).min(1).max(200).meta({
      description: 'Part of a `description`, in any case. Under three characters: its beginning.',
    }),
    minCreationTime: unixTime('invoices whose `invoiceDate` is this time or later'),
    maxCreationTime: unixTime('invoices whose `invoiceDate` is this time or earlier'),
    filter: filterText(['platform', 'issuer', 'billingProfile', 'currency'])
      .optional()
      .meta({
        description: `As in \`platform:web-services|currency:USD\`. Keys: platform, issuer, billingProfile, currency. ${FILTER_GRAMMAR}`,
      }),
  }),
  output: shapes.BilledProducts,
  examples: examples.readBilledProducts,
})
