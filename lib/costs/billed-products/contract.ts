import { z } from 'zod'
import { count, currency, day, money, platform } from '#lib/billing/invoices/contract.ts'
import { contract } from '#lib/platform/api/contract.ts'
import type { Example } from '#lib/platform/api/openapi/example.ts'
import { FILTER_GRAMMAR, filterText } from '#lib/platform/lists/filter.ts'
import { timeRange } from '#lib/platform/lists/parameters.ts'
import { productRoutes } from '../routes.ts'

/** Most products that are listed individually. */
export const MAX_PRODUCTS = 20

const readExamples: readonly Example[] = [
  {
    name: 'storage',
    summary: 'What was billed for storage',
    query: { product: 'storage' },
    answer: {
      status: 200,
      body: {
        products: [
          {
            product: 'Storage',
            platform: 'cloud-platform',
            currency: 'USD',
            amount: 330,
            months: [
              { month: 1759276800000, qty: 3600, amount: 180, count: 1 },
              { month: 1756684800000, qty: 3000, amount: 150, count: 1 },
            ],
          },
          {
            product: 'Object storage',
            platform: 'web-services',
            currency: 'EUR',
            amount: -40,
            months: [{ month: 1761955200000, qty: 1, amount: -40, count: 1 }],
          },
        ],
        otherCount: 0,
      },
    },
  },
]

const BilledProduct = z
  .object({
    product: z.string().meta({ description: 'The `description` of its line items.' }),
    platform,
    currency,
    amount: money.meta({ description: 'Sum of its months.' }),
    months: z
      .array(
        z.object({
          month: day.meta({
            description: 'Its first day: epoch time in milliseconds of its midnight in UTC.',
          }),
          qty: z.number().meta({ description: 'The quantities of its line items together.' }),
          amount: money.meta({ description: 'Sum of its line items.' }),
          count: count.meta({ description: 'Invoices that have it.' }),
        }),
      )
      .meta({ description: 'By invoice date, the newest first; no month without it.' }),
  })
  .meta({ id: 'BilledProduct', description: 'What was billed for a product, by month.' })

/** Addition: billed products by month. */
const BilledProducts = z
  .object({
    products: z.array(BilledProduct).meta({
      description: 'The one with the most invoices first, then by name; two currencies are never added.',
    }),
    otherCount: count.meta({ description: 'Further products, which are not told.' }),
  })
  .meta({ id: 'BilledProducts', description: 'What was billed for products, by month.' })

export type BilledProducts = z.output<typeof BilledProducts>
export type BilledProduct = BilledProducts['products'][number]

/** An addition. */
export const readBilledProducts = contract({
  ...productRoutes.readBilledProducts,
  cachedBy: ['day', 'billingProfiles'],
  showsLicenses: false,
  permission: 'invoice-viewer',
  summary: 'What was billed for a product, by month',
  description: `Of issued invoices, the line items whose \`description\` has the text, added up by product, currency and month of the invoice date. The ${MAX_PRODUCTS} products with the most invoices are told.`,
  query: z.object({
    product: z.string({ error: 'must be part of a product’s name' }).min(1).max(200).meta({
      description: 'Part of a `description`. Case is ignored; fewer than three characters match the start.',
    }),
    ...timeRange('CreationTime', 'invoices whose `invoiceDate`'),
    filter: filterText(['platform', 'issuer', 'billingProfile', 'currency'])
      .optional()
      .meta({
        description: `As in \`platform:web-services|currency:USD\`. Keys: platform, issuer, billingProfile, currency. ${FILTER_GRAMMAR}`,
      }),
  }),
  output: BilledProducts,
  examples: readExamples,
})
