import { z } from 'zod'

const money = (what: string) =>
  z.number().meta({ description: `${what}. An exact decimal inside; a JSON number on the wire.` })
const count = (what: string) => z.int().min(0).meta({ description: what })
const time = (what: string) => z.int().meta({ description: `${what}: epoch time in milliseconds.` })

const part = (what: string, amount: string) =>
  z.object({ count: count('How many.'), amount: money(amount) }).meta({ description: what })

const corrections = part('Those of them that correct what was billed before.', 'Their sum')

/** Addition to a line: the sum of its charges. */
export const LineCharges = z
  .object({
    count: count('Charges that lead to the line.'),
    amount: money('Their sum'),
    agrees: z.boolean().meta({
      description:
        'Whether that is what the line bills, but for less than one minor unit, which is rounding.',
    }),
    differenceAmount: money('What the line bills, less its charges'),
    corrections,
  })
  .meta({ id: 'LineCharges', description: 'A line beside its charges.' })

/** Addition to the read of an invoice: the sum of its charges. */
export const InvoiceCharges = z
  .object({
    count: count('Charges of the invoice.'),
    amount: money('Their sum in the currency of the invoice'),
    agrees: z.boolean().meta({
      description: 'Whether the invoice equals the sum of its charges, line by line where lines have ids.',
    }),
    differenceAmount: money('The total, less the charges'),
    roundingAmount: money('What of it is rounding: lines that are apart by less than one minor unit'),
    corrections,
    apart: part(
      'Lines whose amount differs from the sum of their charges.',
      'Their differences together',
    ).optional(),
    withoutLine: part(
      'Charges that lead to no line: they name none, or none of this invoice.',
      'Their sum',
    ).optional(),
    withoutCharges: part('Lines that bill something and have no charge.', 'What they bill').optional(),
    categories: z
      .array(
        z.object({
          category: z.string().meta({ description: 'Usage, Purchase, Tax, Credit or Adjustment.' }),
          billedAmount: money('What lines of it bill'),
          chargesAmount: money('Sum of its charges'),
          differenceAmount: money('The first less the second'),
        }),
      )
      .optional()
      .meta({ description: 'By category of FOCUS, where each line of the invoice has one.' }),
  })
  .meta({
    id: 'InvoiceCharges',
    description: 'An invoice beside its charges. They explain it: nothing that is owed follows from them.',
  })

export const Charge = z
  .object({
    position: z.int().min(1).meta({ description: 'Its place among all charges of the invoice, from 1.' }),
    detailId: z.string().optional().meta({ description: 'The `detailId` of the line that it leads to.' }),
    chargeCategory: z
      .string()
      .meta({ description: 'As FOCUS names it: Usage, Purchase, Tax, Credit or Adjustment.' }),
    chargeClass: z
      .string()
      .optional()
      .meta({ description: '`Correction` where it corrects what was billed before.' }),
    serviceName: z.string().meta({ description: 'What was used; of a tax, the category.' }),
    description: z.string().optional().meta({ description: 'In the words of the vendor.' }),
    periodStart: time('When it begins').optional(),
    periodEnd: time('When it ends; exclusive').optional(),
    billingAccount: z.string().meta({ description: 'The account at the vendor.' }),
    subAccount: z.string().optional().meta({ description: 'The account below it.' }),
    quantity: z.number().optional().meta({ description: 'How much was used.' }),
    unit: z.string().optional().meta({ description: 'Of the quantity, in the words of the file.' }),
    amount: money('What it costs'),
    currency: z.string().meta({ description: 'That of the invoice: three letters, ISO 4217.' }),
    tags: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: 'Those whose keys the operator has chosen.' }),
  })
  .meta({ id: 'Charge', description: 'One charge of an invoice, as its vendor has it.' })
