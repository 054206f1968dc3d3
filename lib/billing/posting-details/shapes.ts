import { z } from 'zod'

/** As long as what an issuer may send in its place. */
const LONGEST = 100

/** A field that is set: text of one line, or null, which takes it away. What is left out stays. */
const text = z
  .string()
  .trim()
  .max(LONGEST, `must have at most ${LONGEST} characters`)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, 'must be one line')
  .refine((value) => value.isWellFormed(), 'has half a character in it')
  .transform((value) => value || null)
  .nullable()
  .optional()

const CHANGE = 'Null or an empty text takes it away; what is left out stays.'
const purchaseOrder = 'The purchase order'
const buyerReference = 'What the issuer is to route the invoice by, such as a department or a Leitweg-ID'
const costCenter = 'The cost center, or another accounting reference'

export const AssetPostingChange = z
  .strictObject({
    purchaseOrder: text.meta({ description: `${purchaseOrder}. ${CHANGE}` }),
    costCenter: text.meta({ description: `${costCenter}. ${CHANGE}` }),
  })
  .meta({ id: 'AssetPostingChange', description: 'What is to be carried onto the lines of an asset.' })

export const PostingChange = z
  .strictObject({
    ...AssetPostingChange.shape,
    buyerReference: text.meta({ description: `${buyerReference}. ${CHANGE}` }),
  })
  .meta({ id: 'PostingChange', description: 'What is to be carried onto the invoices of a billing profile.' })

const shown = (what: string) =>
  z
    .string()
    .optional()
    .meta({ description: `${what}. Absent: none is set.` })

export const AssetPosting = z
  .object({ purchaseOrder: shown(purchaseOrder), costCenter: shown(costCenter) })
  .meta({
    id: 'AssetPosting',
    description: 'What is carried onto the lines of the next invoices that bill an asset.',
  })

export const BillingProfile = z
  .object({
    id: z.string().meta({ description: 'As the filter `billingProfile` of invoices names it.' }),
    name: z.string().meta({ description: 'The company, as invoices address it.' }),
    country: z.string().optional().meta({ description: 'Two letters, ISO 3166-1.' }),
    ...AssetPosting.shape,
    buyerReference: shown(buyerReference),
  })
  .meta({
    id: 'BillingProfile',
    description: 'Whom invoices address, with what is carried onto the next ones.',
  })
