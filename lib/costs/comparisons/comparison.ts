import Big from 'big.js'
import { itemize } from '#lib/billing/invoices/itemization.ts'
import { matchLines, type Pair, type Part } from '#lib/costs/causes/line-match.ts'
import type { Decimal } from '#lib/platform/values/money.ts'

type Itemized = Parameters<typeof itemize>

/** Side of a comparison. Amounts are exact decimals; null details mean no details. */
export type Side = Itemized[0] & {
  balanceAmount: Decimal
  lines: readonly (Itemized[1][number] & { type: string; description: string; details: string | null })[]
}

export type ChangeKind = 'added' | 'gone' | 'changed' | 'unchanged'
/** Difference of lines that exist on both sides. `amount`: only their rounding differs. */
export type ChangeReason = 'quantity' | 'price' | 'amount'

/** Lines of both invoices that bill the same item, with their effect on the sum in their own currency. */
export type Change = Pair & { kind: ChangeKind; reasons: ChangeReason[]; currency: string; effect: Big }

/**
 * Parts of a total: the lines' amounts, a rounding of their sum, the tax missing from lines, and the rest that no line
 * shows.
 */
export type Breakdown = Record<'lineItems' | 'rounding' | 'tax' | 'notItemized' | 'total', Big>

export type Comparison = {
  /** Added, removed and changed lines: largest effect first, lines in another currency last. */
  changes: Change[]
  unchanged: Change[]
  from: Breakdown
  to: Breakdown
  /** `to` less `from`. The changes in the invoices' currency add up to `lineItems`. */
  effect: Breakdown
}

/** Returns the reason why two invoices can't be compared; undefined when they can. */
export function incomparable(
  from: { platform: string; currency: string },
  to: { platform: string; currency: string },
): 'platform' | 'currency' | undefined {
  if (from.platform !== to.platform) return 'platform'
  return from.currency === to.currency ? undefined : 'currency'
}

/**
 * Compares two invoices of the same platform and currency, exactly: line by line, with the explanation of the
 * difference of their totals. Both must be in one currency.
 */
export function compareInvoices(from: Side, to: Side): Comparison {
  const [one, other] = [partsOf(from), partsOf(to)]
  const all = matchLines(one, other).map(changeOf)
  const foreignRank = (change: Change) => Number(change.currency !== to.currency)
  const changes = all
    .filter(({ kind }) => kind !== 'unchanged')
    .sort((a, b) => foreignRank(a) - foreignRank(b) || byEffect(a, b))
  const [before, after] = [breakdownOf(from, one), breakdownOf(to, other)]
  return {
    changes,
    unchanged: all.filter(({ kind }) => kind === 'unchanged').sort(byEffect),
    from: before,
    to: after,
    effect: {
      lineItems: after.lineItems.minus(before.lineItems),
      rounding: after.rounding.minus(before.rounding),
      tax: after.tax.minus(before.tax),
      notItemized: after.notItemized.minus(before.notItemized),
      total: after.total.minus(before.total),
    },
  }
}

function partsOf(side: Side): Part[] {
  const { amounts } = itemize(side, side.lines)
  return side.lines.map((line, index) => ({
    ...line,
    price: new Big(line.price),
    qty: new Big(line.qty),
    amount: new Big(amounts[index] ?? 0),
    lines: 1,
  }))
}

function breakdownOf(side: Side, parts: readonly Part[]): Breakdown {
  const currencyParts = parts.filter(({ currency }) => currency === side.currency)
  const lineItems = currencyParts.reduce((sum, { amount }) => sum.plus(amount), new Big(0))
  const total = new Big(side.totalAmount)
  const itemization = itemize(side, side.lines)
  // The tax of lines without tax is in the total only.
  const [tax, notItemized] = [new Big(itemization.tax ?? 0), new Big(itemization.notItemized)]
  return {
    lineItems,
    rounding: total.minus(notItemized).minus(tax).minus(lineItems),
    tax,
    notItemized,
    total,
  }
}

function changeOf({ from, to }: Pair): Change {
  const effect = (to?.amount ?? new Big(0)).minus(from?.amount ?? 0)
  const currency = (to ?? from)?.currency ?? ''
  if (!from || !to) return { from, to, kind: from ? 'gone' : 'added', reasons: [], currency, effect }
  const samePrice = from.price && to.price && from.price.eq(to.price)
  const reasons: ChangeReason[] = []
  if (!from.qty.eq(to.qty)) reasons.push('quantity')
  if (!samePrice) reasons.push('price')
  if (reasons.length === 0 && !effect.eq(0)) reasons.push('amount')
  return { from, to, kind: reasons.length > 0 ? 'changed' : 'unchanged', reasons, currency, effect }
}

/** Compares by effect, largest absolute value first; then by amount, largest first; then by text. */
function byEffect(a: Change, b: Change): number {
  return b.effect.abs().cmp(a.effect.abs()) || largest(b).cmp(largest(a)) || byText(nameOf(a), nameOf(b))
}

function largest({ from, to }: Change): Big {
  const [one, other] = [from?.amount.abs() ?? new Big(0), to?.amount.abs() ?? new Big(0)]
  return one.gt(other) ? one : other
}

function nameOf({ from, to }: Change): string {
  const part = to ?? from
  return `${part?.description} ${part?.details ?? ''}`
}

/** Compares by code unit, independent of the locale. */
function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
