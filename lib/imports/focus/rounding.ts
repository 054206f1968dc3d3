import Big from 'big.js'
import { roundTo } from '#lib/platform/values/decimals.ts'

/** Rounded amounts as plain decimal text. */
export type Rounded = { total: string; shares: string[] }

/**
 * Rounds the exact sum half away from zero, and its parts so that they add up to the sum (largest remainder method):
 * each part is rounded down, and the missing units go to the parts that lost most. Each share stays within one unit of
 * its part, and a part without remainder, such as zero, stays the same. Where no whole units make a total of zero, the
 * share of the largest part has half a unit.
 * @param parts exact amounts, of either sign
 * @param decimals the currency's minor unit: 2 for USD, 0 for JPY
 * @param unrounded exact sum of amounts outside the parts that stay unrounded: included in the total, which equals the
 * rounded sum of the shares and this amount
 */
export function roundTogether(parts: readonly Big[], decimals: number, unrounded = new Big(0)): Rounded {
  const unit = new Big(10).pow(-decimals)
  const sum = parts.reduce((all, part) => all.plus(part), unrounded)
  const total = roundTo(sum, decimals)
  const shares = parts.map((part) => floor(part, decimals, unit))
  const floored = shares.reduce((all, share) => all.plus(share), new Big(0))
  const missing = missingOf({ total, floored, unrounded, unit, decimals, most: parts.length })
  const lost = parts.map((part, index) => part.minus(shares[index] ?? 0))
  const indexes = [...parts.keys()].sort((a, b) => bySize(lost, a, b) || bySize(parts, a, b) || a - b)
  for (const index of indexes.slice(0, missing)) shares[index] = shares[index]?.plus(unit) ?? unit
  const made = shares.reduce((all, share) => all.plus(share), unrounded)
  // Half a unit, of either sign, rounds away from zero: with whole units it never makes zero.
  if (!roundTo(made, decimals).eq(total)) {
    const [largest = 0] = [...parts.keys()].sort((a, b) => bySize(parts, a, b) || a - b)
    shares[largest] = total.minus(made).plus(shares[largest] ?? 0)
  }
  return { total: plain(total, decimals), shares: shares.map((share) => plain(share, decimals)) }
}

type Sums = { total: Big; floored: Big; unrounded: Big; unit: Big; decimals: number; most: number }

/**
 * Returns the units missing from the floored shares: the rest of the total after the unrounded amount, rounded to the
 * unit.
 */
function missingOf({ total, floored, unrounded, unit, decimals, most }: Sums): number {
  const near = roundTo(unrounded, decimals)
  const [first = 0, ...others] = [near, near.plus(unit), near.minus(unit)]
    .map((rounded) => ({ rest: total.minus(rounded), rounded }))
    .filter(({ rest, rounded }) => rounded === near || roundTo(rest.plus(unrounded), decimals).eq(total))
    .map(({ rest }) => Number(rest.minus(floored).div(unit).toFixed(0)))
  return [first, ...others].find((missing) => missing >= 0 && missing <= most) ?? first
}

function floor(value: Big, decimals: number, unit: Big): Big {
  const cut = value.round(decimals, Big.roundDown)
  return cut.gt(value) ? cut.minus(unit) : cut
}

/** Compares by absolute value, largest first. */
function bySize(values: readonly Big[], a: number, b: number): number {
  return (values[b] ?? new Big(0)).abs().cmp((values[a] ?? new Big(0)).abs())
}

/** Formats a number with these decimals at least, without the minus sign that big.js keeps on a zero. */
function plain(value: Big, decimals: number): string {
  const number = value.eq(0) ? value.abs() : value
  return number.round(decimals, Big.roundDown).eq(number) ? number.toFixed(decimals) : number.toFixed()
}
