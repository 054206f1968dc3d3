import type { z } from 'zod'
import { numberOf } from '#lib/billing/invoices/serialize.ts'
import type { BilledChange, Cause } from './cause.ts'
import type * as shapes from './shapes.ts'

export type DifferenceCause = z.output<typeof shapes.DifferenceCause>

/** A cause and where it is. */
export function serializeCause(
  { kind, effect, quantity, price, taxRate, change, products }: Cause,
  { platform, description }: { platform: string; description?: string | undefined },
): DifferenceCause {
  return {
    cause: kind,
    platform,
    ...(description === undefined ? {} : { product: description }),
    effectAmount: numberOf(effect),
    ...(quantity ? { fromQty: numberOf(quantity.from), toQty: numberOf(quantity.to) } : {}),
    ...(price ? { fromPrice: numberOf(price.from), toPrice: numberOf(price.to) } : {}),
    ...(taxRate ? { fromTaxRate: numberOf(taxRate.from), toTaxRate: numberOf(taxRate.to) } : {}),
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
          ...(billed.daysAmount ? { daysAmount: numberOf(billed.daysAmount) } : {}),
        }
      : {}),
  }
}
