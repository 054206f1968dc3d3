import 'server-only'
import Big from 'big.js'
import { causeLabel, shareText, signedAmount } from '#components/costs/cause-labels.ts'
import type { ChangeView, DifferenceView } from '#components/costs/comparisons/comparison-table.tsx'
import type { InvoiceChange, InvoiceComparison } from '#lib/costs/comparisons/contract.ts'
import { formatAmount, formatDecimal, minorUnit } from '#lib/platform/values/money.ts'

/** Number of differences that are shown; the smaller ones are collapsed. */
const MAX_ROWS = 50
const NAMES = { quantity: 'Quantity', price: 'Price', amount: 'Rounding' }

/** Returns a comparison as text, formatted on the server to keep the formatting code out of the browser. */
export function toComparisonView(comparison: InvoiceComparison) {
  const { currency } = comparison.to
  const { lineItems, rounding, tax, notItemized, total } = comparison
  const difference = (label: string, one: typeof total) => ({
    label,
    from: formatAmount(one.fromAmountText ?? one.fromAmount, currency),
    to: formatAmount(one.toAmountText ?? one.toAmount, currency),
    effect: signedAmount(one.effectAmountText ?? one.effectAmount, currency),
  })
  const isThere = ({ fromAmount, toAmount }: typeof total) => fromAmount !== 0 || toAmount !== 0
  const smaller = comparison.changes.slice(MAX_ROWS)
  const notesOf = notesOnce(comparison)
  const differences: DifferenceView[] = [
    ...(smaller.length > 0 ? [smallerOf(smaller, currency)] : []),
    difference('Line items', lineItems),
    ...(isThere(rounding) ? [difference('Rounding', rounding)] : []),
    ...(isThere(tax) ? [difference('Tax', tax)] : []),
    ...(isThere(notItemized) ? [difference('Not itemized', notItemized)] : []),
    difference('Total', total),
  ]
  return {
    changes: comparison.changes
      .slice(0, MAX_ROWS)
      .map((change) => toChangeView(change, currency, notesOf(change))),
    smaller: smaller.map((change) => toChangeView(change, currency, notesOf(change))),
    unchanged: comparison.unchanged.map((change) => toChangeView(change, currency, [])),
    differences,
    counts: countsOf(comparison),
    missing: isThere(notItemized) ? difference('Not itemized', notItemized) : undefined,
    total: { ...difference('Total', total), share: shareText(total.fromAmount, total.effectAmount) },
  }
}

/** Returns one row for all collapsed differences, so that the column adds up. */
function smallerOf(changes: readonly InvoiceChange[], currency: string): DifferenceView {
  const sameCurrency = changes.filter((change) => change.currency === currency)
  const sum = sameCurrency.reduce((all, { effectAmount }) => all.plus(effectAmount), new Big(0))
  const label = `${changes.length.toLocaleString('en')} smaller differences, below`
  return { label, from: '', to: '', effect: signedAmount(sum.toFixed(), currency) }
}

function toChangeView(
  { change, reasons, currency, effectAmount, ...sides }: InvoiceChange,
  invoiceCurrency: string,
  notes: readonly string[],
): ChangeView {
  const { from, to } = sides
  const unit = currency === invoiceCurrency ? '' : ` ${currency}`
  const side = (part: typeof from) =>
    part && {
      amount: formatAmount(part.amount, currency) + unit,
      product: [
        part.price === undefined
          ? `${formatDecimal(part.qty)} at several prices`
          : `${formatDecimal(part.qty)} × ${formatDecimal(part.price, minorUnit(currency))}`,
        ...(part.lineCount > 1 ? [`${part.lineCount.toLocaleString('en')} lines`] : []),
      ].join(', '),
    }
  const kinds = { added: 'Added', gone: 'Removed', unchanged: 'Unchanged', changed: '' }
  const why = reasons
    .map((reason, index) => (index ? NAMES[reason].toLowerCase() : NAMES[reason]))
    .join(' and ')
  return {
    description: (to ?? from)?.description ?? '',
    formerly: from && to && from.description !== to.description ? from.description : undefined,
    details: [...new Set([from?.Details, to?.Details].filter(Boolean))].join(' → '),
    kind: kinds[change] || why,
    from: side(from),
    to: side(to),
    effect: signedAmount(effectAmount, currency) + unit,
    notes,
  }
}

/**
 * Returns notes on why a product costs more or less, for the first of its lines that differ: the member who changed its
 * licenses, another tax rate, and the shares of quantity and price in the difference.
 */
function notesOnce({ causes, to: { currency: invoiceCurrency } }: InvoiceComparison) {
  const left = Map.groupBy(causes, ({ product }) => product)
  return ({ currency, from, to }: InvoiceChange): string[] => {
    const product = to && left.has(to.description) ? to.description : from?.description
    const productCauses =
      currency === invoiceCurrency && product !== undefined ? (left.get(product) ?? []) : []
    if (productCauses.length < 2 && !productCauses.some(({ change, cause }) => change || cause === 'taxRate'))
      return []
    left.delete(product)
    return productCauses.map((cause) => {
      const { name, note } = causeLabel(cause, invoiceCurrency)
      return `${name}: ${signedAmount(cause.effectAmountText ?? cause.effectAmount, invoiceCurrency)}${note ? ` (${note})` : ''}`
    })
  }
}

/** Returns `3 lines changed, 1 added, 12 unchanged`. */
function countsOf({ changes, unchanged }: InvoiceComparison): string {
  const count = (kind: InvoiceChange['change']) => changes.filter(({ change }) => change === kind).length
  const parts = [
    { n: count('changed'), label: 'changed' },
    { n: count('added'), label: 'added' },
    { n: count('gone'), label: 'removed' },
    { n: unchanged.length, label: 'unchanged' },
  ].filter(({ n }) => n > 0)
  return parts
    .map(
      ({ n, label }, index) =>
        `${n.toLocaleString('en')} ${index ? '' : n === 1 ? 'line ' : 'lines '}${label}`,
    )
    .join(', ')
}
