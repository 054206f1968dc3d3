import Big from 'big.js'
import { itemize } from '#lib/billing/invoices/itemization.ts'
import type { InvoiceRow, LineItemRow } from '#lib/billing/invoices/store.ts'
import { taxOf } from '#lib/billing/posting/tax.ts'
import { calendarMonthOf } from '#lib/costs/billed-period.ts'
import type { BilledPart, Cause, Days } from '#lib/costs/causes/cause.ts'
import { daysOf, findSeatChanges, isLicensed, type LicensedAsset } from '#lib/costs/causes/licensed-assets.ts'
import { stableProductOf } from '#lib/costs/causes/line-match.ts'
import { causesOf } from '#lib/costs/causes/product.ts'
import { isTaxLine, taxCauses, taxLineCauses, taxNameOf, taxWithin } from '#lib/costs/causes/tax.ts'
import { quantityOfLine } from '#lib/costs/causes/unit-price.ts'
import { addDays, epochOfDay } from '#lib/platform/values/days.ts'
import type { Comparison } from './comparison.ts'

/** A cause of the difference of two invoices; what concerns no single product has no description. */
export type InvoiceCause = Cause & { description?: string }

type Side = { invoice: InvoiceRow; lines: readonly LineItemRow[] }

/**
 * Why one invoice costs more than another, by product: the causes that a month is explained by too. They add up to the
 * difference of the totals, exactly; the product with the largest effect comes first.
 */
export function causesOfInvoices(
  from: Side,
  to: Side,
  { effect, from: fromSums, to: toSums }: Comparison,
  assets: readonly LicensedAsset[],
): InvoiceCause[] {
  const all = [partsOf(from), partsOf(to)] as const
  const isTax = ({ tax, amount }: BilledPart) => !amount.eq(0) && tax.eq(amount)
  const [before, after] = all.map((parts) => parts.filter((part) => !isTax(part))) as [
    BilledPart[],
    BilledPart[],
  ]
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
  const taxed = ({ tax, lineItems, rounding }: Comparison['from'], { invoice, lines }: Side) => ({
    rates: taxOf(invoice, lines)?.breakdown.flatMap(({ rate }) => (rate === null ? [] : [new Big(rate)])),
    ...{ tax, base: tax.eq(0) ? new Big(0) : lineItems.plus(rounding), roundings: 1 },
  })
  const { currency } = to.invoice
  const taxes = taxCauses(taxed(fromSums, from), taxed(toSums, to), currency)
  const ofLines = causesOfTaxLines(all[0].filter(isTax), all[1].filter(isTax), {
    from: sumOfParts(before),
    to: sumOfParts(after),
  })
  const rest = (['rounding', 'notItemized'] as const).map((kind) => [{ kind, effect: effect[kind] }])
  return [...productCauses, ...ofLines, taxes, ...rest]
    .map((causes) => causes.filter((cause) => !cause.effect.eq(0)))
    .sort((a, b) => sumOf(b).abs().cmp(sumOf(a).abs()))
    .flat()
}

/** The causes of each tax that lines of its own bill. */
function causesOfTaxLines(
  from: readonly BilledPart[],
  to: readonly BilledPart[],
  bases: { from: Big; to: Big },
): InvoiceCause[][] {
  const names = [...new Set([...to, ...from].map(taxNameOf))]
  return names.map((name) => {
    const [before, after] = [from, to].map((parts) => parts.filter((part) => taxNameOf(part) === name))
    const description = (after?.[0] ?? before?.[0])?.description ?? ''
    const causes = taxLineCauses(before ?? [], after ?? [], names.length === 1 ? bases : undefined)
    return causes.map((cause) => ({ ...cause, description }))
  })
}

function sumOfParts(parts: readonly BilledPart[]): Big {
  return parts.reduce((sum, { amount }) => sum.plus(amount), new Big(0))
}

/** The lines in the invoice's currency. */
function partsOf({ invoice, lines }: Side): BilledPart[] {
  const { amounts, tax, notItemized } = itemize(invoice, lines)
  const isWithTax = tax === undefined && new Big(notItemized).eq(0) && !lines.some(isTaxLine)
  const period = periodOf(invoice)
  return lines.flatMap((line, index): BilledPart[] => {
    if (line.currency !== invoice.currency) return []
    const { type, description, currency } = line
    const amount = new Big(amounts[index] ?? 0)
    return [
      {
        ...{ type, description, currency, amount, lines: 1, ...quantityOfLine(line, amount) },
        tax: taxWithin(line, amount),
        days: daysOf(line.details, period),
        taxRate: isWithTax && line.taxRate !== null ? new Big(line.taxRate) : undefined,
      },
    ]
  })
}

function periodOf({ periodStart, periodEnd, invoiceDate }: InvoiceRow): Days {
  const month = calendarMonthOf(epochOfDay(invoiceDate))
  return {
    from: periodStart === null ? month.from : epochOfDay(periodStart),
    to: periodEnd === null ? month.to : epochOfDay(addDays(periodEnd, -1)),
  }
}

function sumOf(causes: readonly Cause[]): Big {
  return causes.reduce((sum, { effect }) => sum.plus(effect), new Big(0))
}
