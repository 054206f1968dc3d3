import Big from 'big.js'
import { itemize } from '#lib/billing/invoices/itemization.ts'
import type { InvoiceRow, LineItemRow } from '#lib/billing/invoices/store.ts'
import type { BilledPart, Cause, Days } from '#lib/costs/causes/cause.ts'
import { daysOf, findSeatChanges, isLicensed, type LicensedAsset } from '#lib/costs/causes/licensed-assets.ts'
import { stableProductOf } from '#lib/costs/causes/line-match.ts'
import { causesOf } from '#lib/costs/causes/product.ts'
import { isTaxLine, taxWithin } from '#lib/costs/causes/tax.ts'
import { addDays, epochOfDay } from '#lib/platform/values/days.ts'
import type { Comparison } from './comparison.ts'

/** A cause of the difference of two invoices; what concerns no single product has no description. */
export type InvoiceCause = Cause & { description?: string }

type Side = { invoice: InvoiceRow; lines: readonly LineItemRow[] }

/** A bill that names no period is for the month before it. */
const DEFAULT_DAYS = 31

/**
 * Why one invoice is dearer than another, by product: the causes that a month is explained by too. They add up to the
 * difference of the totals, exactly; the product with the largest effect comes first.
 */
export function causesOfInvoices(
  from: Side,
  to: Side,
  { effect }: Comparison,
  assets: readonly LicensedAsset[],
): InvoiceCause[] {
  const [before, after] = [partsOf(from), partsOf(to)]
  const products = new Set([...after, ...before].map(stableProductOf))
  const [beforeByProduct, afterByProduct] = [before, after].map((parts) =>
    Map.groupBy(parts, stableProductOf),
  )
  const during = { from: periodOf(from.invoice), to: periodOf(to.invoice) }
  const productCauses = [...products].map((product): InvoiceCause[] => {
    const sides = { from: beforeByProduct?.get(product) ?? [], to: afterByProduct?.get(product) ?? [] }
    const named = sides.to[0] ?? sides.from[0]
    if (!named) return []
    const { type, description, currency } = named
    const seatChanges = isLicensed(type) ? findSeatChanges(named, assets) : undefined
    const causes = causesOf({ currency, isLicensed: isLicensed(type), ...sides, during, seatChanges })
    return causes.map((cause) => ({ ...cause, description }))
  })
  const rest = (['tax', 'rounding', 'notItemized'] as const).map((kind) => [{ kind, effect: effect[kind] }])
  return [...productCauses, ...rest]
    .map((causes) => causes.filter((cause) => !cause.effect.eq(0)))
    .sort((a, b) => sumOf(b).abs().cmp(sumOf(a).abs()))
    .flat()
}

/** The lines in the invoice's currency. */
function partsOf({ invoice, lines }: Side): BilledPart[] {
  const { amounts, tax, notItemized } = itemize(invoice, lines)
  const isWithTax = tax === undefined && new Big(notItemized).eq(0) && !lines.some(isTaxLine)
  const period = periodOf(invoice)
  return lines.flatMap((line, index): BilledPart[] => {
    if (line.currency !== invoice.currency) return []
    const { type, description, details, currency } = line
    const amount = new Big(amounts[index] ?? 0)
    return [
      {
        ...{ type, description, details, currency, amount, lines: 1 },
        ...{ price: new Big(line.price), qty: new Big(line.qty), tax: taxWithin(line, amount) },
        days: daysOf(details, period),
        taxRate: isWithTax && line.taxRate !== null ? new Big(line.taxRate) : undefined,
      },
    ]
  })
}

function periodOf({ periodStart, periodEnd, invoiceDate }: InvoiceRow): Days {
  return {
    from: epochOfDay(periodStart ?? addDays(invoiceDate, 1 - DEFAULT_DAYS)),
    to: epochOfDay(periodEnd ? addDays(periodEnd, -1) : invoiceDate),
  }
}

function sumOf(causes: readonly Cause[]): Big {
  return causes.reduce((sum, { effect }) => sum.plus(effect), new Big(0))
}
