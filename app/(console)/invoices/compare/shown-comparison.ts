import 'server-only'
import Big from 'big.js'
import type { ShownChange, ShownDifference } from '#components/comparisons/comparison-lines.tsx'
import type { InvoiceChange, InvoiceComparison } from '#lib/comparisons/contract.ts'
import { type Decimal, formatAmount, formatDecimal, minorUnit } from '#lib/money.ts'

/** More differences are folded away: their effects become ever smaller. */
const MOST_SHOWN = 50
const NAMES = { quantity: 'Quantity', price: 'Price', amount: 'Rounding' }

/** A comparison as text, written here, so that the browser need not. */
export function shownComparison(comparison: InvoiceComparison) {
  const { currency } = comparison.to
  const { lineItems, rounding, notItemized, total } = comparison
  const difference = (label: string, { fromAmount, toAmount, effectAmount }: typeof total) => ({
    label,
    from: formatAmount(fromAmount, currency),
    to: formatAmount(toAmount, currency),
    effect: signed(effectAmount, currency),
  })
  const isThere = ({ fromAmount, toAmount }: typeof total) => fromAmount !== 0 || toAmount !== 0
  const smaller = comparison.changes.slice(MOST_SHOWN)
  const differences: ShownDifference[] = [
    ...(smaller.length > 0 ? [smallerOf(smaller, currency)] : []),
    difference('Line items', lineItems),
    ...(isThere(rounding) ? [difference('Rounding', rounding)] : []),
    ...(isThere(notItemized) ? [difference('Not itemized', notItemized)] : []),
    difference('Total', total),
  ]
  return {
    changes: comparison.changes.slice(0, MOST_SHOWN).map((change) => shownChange(change, currency)),
    smaller: smaller.map((change) => shownChange(change, currency)),
    unchanged: comparison.unchanged.map((change) => shownChange(change, currency)),
    differences,
    counts: countsOf(comparison),
    missing: isThere(notItemized) ? difference('Not itemized', notItemized) : undefined,
    total: { ...difference('Total', total), share: shareOf(total) },
  }
}

/** What is folded away, in one line, so that the column can be added up. */
function smallerOf(changes: readonly InvoiceChange[], currency: string): ShownDifference {
  const own = changes.filter((change) => change.currency === currency)
  const sum = own.reduce((all, { effectAmount }) => all.plus(effectAmount), new Big(0))
  const label = `${changes.length.toLocaleString('en')} smaller differences, below`
  return { label, from: '', to: '', effect: signed(sum.toFixed(), currency) }
}

function shownChange(
  { change, reasons, currency, effectAmount, ...sides }: InvoiceChange,
  own: string,
): ShownChange {
  const { from, to } = sides
  const unit = currency === own ? '' : ` ${currency}`
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
  const kinds = { added: 'Added', gone: 'Gone', unchanged: 'Unchanged', changed: '' }
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
    effect: signed(effectAmount, currency) + unit,
  }
}

/** With its sign: `+2.15`, `−20.00`, and `0.00` where nothing is different. */
function signed(amount: Decimal, currency: string): string {
  return `${new Big(amount).gt(0) ? '+' : ''}${formatAmount(amount, currency)}`
}

/** `3 lines changed, 1 added, 12 unchanged`. */
function countsOf({ changes, unchanged }: InvoiceComparison): string {
  const count = (kind: InvoiceChange['change']) => changes.filter(({ change }) => change === kind).length
  const parts = [
    { n: count('changed'), word: 'changed' },
    { n: count('added'), word: 'added' },
    { n: count('gone'), word: 'gone' },
    { n: unchanged.length, word: 'unchanged' },
  ].filter(({ n }) => n > 0)
  return parts
    .map(
      ({ n, word }, index) => `${n.toLocaleString('en')} ${index ? '' : n === 1 ? 'line ' : 'lines '}${word}`,
    )
    .join(', ')
}

/** How much dearer, of what was above nothing: `+6.2%`. */
function shareOf({ fromAmount, effectAmount }: InvoiceComparison['total']): string | undefined {
  if (fromAmount <= 0) return undefined
  const percent = (effectAmount / fromAmount) * 100
  if (!Number.isFinite(percent) || Math.abs(percent) >= 1000) return undefined
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1).replace('-', '−')}%`
}
