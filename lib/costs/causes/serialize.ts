import { z } from 'zod'
import { exactText, money } from '#lib/billing/invoices/contract.ts'
import { summed } from '#lib/platform/values/decimals.ts'
import { toJsonNumber } from '#lib/platform/values/numbers.ts'
import type { BilledChange, Cause } from './cause.ts'
import { BILLED_FOR, CAUSES } from './rules.ts'

const seats = z.int().min(0)

const change = z
  .object({
    at: z.int().meta({ description: 'When it took effect: epoch time in milliseconds.' }),
    from: seats.meta({ description: 'Licenses before.' }),
    to: seats.meta({ description: 'Licenses after.' }),
    by: z.string().optional().meta({
      description: 'Who changed them. Absent for callers who may not see the assets.',
    }),
    sure: z.boolean().meta({
      description: 'False where the product was found by a part of its name, or is that of several assets.',
    }),
    billed: z.enum(BILLED_FOR).optional().meta({
      description:
        'How the period of the change is billed: `wholePeriod`, although the change was in it; `days`: by its days; `nextPeriod`: not yet. Absent where it was made in neither period.',
    }),
    days: z.int().min(0).optional().meta({ description: 'Days of its period from the change on.' }),
    ofDays: z.int().min(1).optional().meta({ description: 'Days of that period.' }),
    daysAmount: money.optional().meta({
      description: 'Only with `wholePeriod`: cost of the days since the change alone.',
    }),
  })
  .meta({ description: 'The change of licenses that it is.' })

/** An addition: why one bill costs more than another. */
export const DifferenceCause = z
  .object({
    cause: z.enum(CAUSES).meta({
      description:
        '`licenses`: their number, at the price before. `usage`: the quantity of what is no license, likewise. `price`: what is left, for the new number. `amount`: where number and price do not tell it. `new`, `gone`: products that one of the two alone bills. `credit`: what is below 0. `tax`. `taxRate`: another rate of the tax, in lines or beside them. `rounding`: of the sum of lines. `notItemized`: what no line shows. `smaller`: products that are not told one by one.',
    }),
    platform: z.string().meta({ description: 'Platform of the invoices.' }),
    product: z.string().optional().meta({
      description: 'What is billed, as the lines call it. Absent where it is no single product.',
    }),
    effectAmount: money.meta({ description: 'What it adds to the total, or takes away.' }),
    effectAmountText: exactText,
    fromQty: z.number().optional().meta({ description: 'Quantity before.' }),
    toQty: z.number().optional().meta({ description: 'Quantity after.' }),
    fromPrice: money.optional().meta({ description: 'Price before, per unit.' }),
    toPrice: money.optional().meta({ description: 'Price after, per unit.' }),
    fromTaxRate: z.number().optional().meta({ description: 'Only with `taxRate`: percent before.' }),
    toTaxRate: z.number().optional().meta({ description: 'Only with `taxRate`: percent after.' }),
    change: change.optional(),
    productCount: z.int().min(0).optional().meta({ description: 'Only with `smaller`: how many products.' }),
  })
  .meta({ id: 'DifferenceCause', description: 'One cause of a difference, with its money.' })

export type DifferenceCause = z.output<typeof DifferenceCause>

/** Serializes a cause with its location. */
export function serializeCause(
  { kind, effect, quantity, price, taxRate, change, products }: Cause,
  { platform, description }: { platform: string; description?: string | undefined },
): DifferenceCause {
  return {
    cause: kind,
    platform,
    ...(description === undefined ? {} : { product: description }),
    ...summed('effectAmount', effect),
    ...(quantity ? { fromQty: toJsonNumber(quantity.from), toQty: toJsonNumber(quantity.to) } : {}),
    ...(price ? { fromPrice: toJsonNumber(price.from), toPrice: toJsonNumber(price.to) } : {}),
    ...(taxRate ? { fromTaxRate: toJsonNumber(taxRate.from), toTaxRate: toJsonNumber(taxRate.to) } : {}),
    ...(change ? { change: serializeChange(change) } : {}),
    ...(products === undefined ? {} : { productCount: products }),
  }
}

function serializeChange({ at, from, to, by, sure, billed }: BilledChange): DifferenceCause['change'] {
  return {
    at,
    from,
    to,
    ...(by === undefined ? {} : { by }),
    sure,
    ...(billed
      ? {
          billed: billed.how,
          days: billed.days,
          ofDays: billed.ofDays,
          ...(billed.daysAmount ? { daysAmount: toJsonNumber(billed.daysAmount) } : {}),
        }
      : {}),
  }
}
