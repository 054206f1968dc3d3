import { z } from 'zod'

// Names follow the business terms of EN 16931 (BT); docs/use/posting.md has the table of both.

const amount = (what: string) =>
  z.number().meta({ description: `${what}. An exact decimal inside; a JSON number on the wire.` })
const day = (what: string) =>
  z.int().meta({ description: `${what}: epoch time in milliseconds of that day's midnight in UTC.` })

const taxCategory = z
  .string()
  .meta({ description: 'Code of UNCL 5305: S standard rate, Z zero rate, AE reverse charge …' })
const taxRate = z.number().meta({ description: 'Percent.' })
const purchaseOrder = z.string().meta({ description: "The buyer's purchase order (BT-13 of an invoice)." })
const costCenter = z
  .string()
  .meta({ description: "The buyer's accounting reference (BT-19 of an invoice, BT-133 of a line)." })
const carried = z
  .array(z.string())
  .meta({ description: 'Names of fields that the issuer left out, and that were set by the customer.' })

/** Additions to a line: each is absent where it is unknown. */
export const linePosting = {
  netAmount: amount('The line without tax (BT-131)').optional(),
  taxCategory: taxCategory.optional(),
  taxRate: taxRate.optional(),
  taxAmount: amount('Its tax').optional(),
  periodStart: day('The first day that the line bills (BT-134)').optional(),
  periodEnd: day('The day after the last one that it bills (BT-135 is the last one)').optional(),
  billingAccount: z.string().optional().meta({ description: 'The account at the issuer.' }),
  subAccount: z.string().optional().meta({ description: 'The account below it.' }),
  unit: z.string().optional().meta({
    description: 'Of the quantity: a code of UN/ECE Recommendation 20 (BT-130), or the word of a FOCUS file.',
  }),
  usedQuantity: z.number().optional().meta({
    description: 'Usage of its charges in `usedUnit`. Explanations use it where `qty` is 1.',
  }),
  usedUnit: z
    .string()
    .optional()
    .meta({ description: 'The unit of the charges, in the words of their file.' }),
  sku: z.string().optional().meta({ description: 'The SKU of its charges, where they have one.' }),
  purchaseOrder: purchaseOrder.optional(),
  costCenter: costCenter.optional(),
  detailId: z.string().optional().meta({ description: 'The issuer’s id of the line: its charges name it.' }),
  chargeCategory: z.string().optional().meta({
    description: 'As FOCUS names it: Usage, Purchase, Tax, Credit or Adjustment; the issuer’s own word.',
  }),
  grain: z.string().optional().meta({ description: 'At which level it sums charges up: the issuer’s JSON.' }),
  paymentCurrency: z.string().optional().meta({
    description:
      'In which other currency it is to be paid, where its issuer says so. Never added to `amount`.',
  }),
  paymentAmount: amount('What is to be paid in that currency').optional(),
  carried: carried.optional(),
}

const TaxGroup = z
  .object({
    taxCategory,
    taxRate: taxRate.optional(),
    taxableAmount: amount('What the tax is of (BT-116)'),
    taxAmount: amount('The tax (BT-117)'),
    exemptionReason: z.string().optional().meta({ description: 'Why there is none (BT-120).' }),
  })
  .meta({ id: 'TaxGroup', description: 'The tax of one category and rate.' })

/** An addition: the tax of an invoice. */
const InvoiceTax = z
  .object({
    netAmount: amount('The total without tax (BT-109)'),
    taxAmount: amount('The tax (BT-110)'),
    amountsFrom: z.enum(['ISSUER', 'LINE_ITEMS']).meta({
      description:
        'Whose net and tax these are: the issuer’s own, with what follows from them and the total, or calculated here from the line items.',
    }),
    breakdown: z.array(TaxGroup).meta({ description: 'By category and rate; empty if unknown.' }),
    breakdownFrom: z.enum(['ISSUER', 'LINE_ITEMS']).optional().meta({
      description: 'Whose breakdown it is: the issuer’s own, or calculated here from the line items.',
    }),
    differences: z
      .object({
        taxableAmount: amount('The taxable amounts of the breakdown together, less `netAmount`').optional(),
        taxAmount: amount('The tax of the breakdown together, less `taxAmount`').optional(),
        totalAmount: amount('`netAmount` and `taxAmount` together, less `totalAmount`').optional(),
      })
      .optional()
      .meta({ description: 'Where the figures do not add up: by how much. Absent where they do.' }),
  })
  .meta({
    id: 'InvoiceTax',
    description: 'The tax of an invoice, as its issuer states it or as its line items give it.',
  })

/** Additions to the read of one invoice: each is absent where it is unknown. */
export const invoicePosting = {
  typeCode: z.string().optional().meta({
    description: 'Code of UNCL 1001 (BT-3): 380 invoice, 381 credit note, 384 corrected, 386 prepayment …',
  }),
  purchaseOrder: purchaseOrder.optional(),
  buyerReference: z.string().optional().meta({ description: "The buyer's reference (BT-10)." }),
  costCenter: costCenter.optional(),
  paymentTerms: z.string().optional().meta({ description: 'What was agreed on payment (BT-20).' }),
  carried: carried.optional(),
  sellerCountry: z.string().optional().meta({ description: 'Two letters, ISO 3166-1 (BT-40).' }),
  buyerCountry: z.string().optional().meta({ description: 'Two letters, ISO 3166-1 (BT-55).' }),
  tax: InvoiceTax.optional().meta({ description: 'Absent if unknown.' }),
}
