import Big from 'big.js'
import { minorUnit } from '#lib/platform/values/money.ts'

// An invoice defines the debt, and its charges explain it. This module changes neither: it reports differences.

/** Number of charges and their sum as exact decimal text. */
export type Part = { count: number; amount: string }

/** Sum of the charges of one line, which occupy consecutive positions. */
export type LineSum = Part & {
  /** Issuer's id of the line; null: the charges name no line. */
  detail: string | null
  /** Position of the first of these charges in the set. */
  from: number
  /** Charges that correct earlier billing. */
  corrections: Part
  categories: [category: string, count: number, amount: string][]
}

/** The charges of a bill. */
export type ChargeSet = Part & { currency: string; lines: readonly LineSum[] }

/** Line of the invoice with its billed amount. */
export type BillLine = { amount: string; detailId: string | null; chargeCategory: string | null }

/**
 * Comparison of a line with its charges; `difference`: billed amount less their sum. `isMismatched`: the difference
 * exceeds rounding.
 */
export type LineReconciliation = Part & { difference: string; isMismatched: boolean; corrections: Part }

export type CategoryReconciliation = { category: string; billed: string; charges: string; difference: string }

export type Reconciliation = Part & {
  /** Whether the invoice equals the sum of its charges, except for rounding. */
  agrees: boolean
  /** The total less all charges. */
  difference: string
  /** Rounding part of the difference: differences of lines below one minor unit. */
  rounding: string
  corrections: Part
  /** Result per line, in line order; undefined for a line without charges. Absent: no line of the invoice has an id. */
  lines?: (LineReconciliation | undefined)[]
  /** Lines that differ from their charges, with the sum of their differences. */
  apart?: Part
  /** Charges without a line of the invoice. */
  withoutLine?: Part
  /** Lines with an amount but without charges. */
  withoutCharges?: Part
  /** By category, where each line of the invoice has one. */
  categories?: CategoryReconciliation[]
}

/**
 * Compares an invoice with its charges, exactly. Differences below one minor unit of the currency are rounding: charges
 * are metered more finely than invoices.
 * @param bill in the currency of its charges
 */
export function reconcile(
  { currency, totalAmount, lines }: { currency: string; totalAmount: string; lines: readonly BillLine[] },
  set: ChargeSet,
): Reconciliation {
  const unit = new Big(10).pow(-minorUnit(currency))
  const isSmall = (amount: Big) => amount.abs().lt(unit)
  const difference = new Big(totalAmount).minus(set.amount)
  const corrections = together(set.lines.map((line) => line.corrections))
  const categories = lines.every(({ chargeCategory }) => chargeCategory !== null)
    ? { categories: byCategory(lines, set) }
    : {}
  const whole = { count: set.count, amount: decimalText(new Big(set.amount)), corrections, ...categories }
  if (lines.every(({ detailId }) => detailId === null)) {
    const agrees = isSmall(difference)
    return {
      ...whole,
      agrees,
      difference: decimalText(difference),
      rounding: agrees ? decimalText(difference) : '0',
    }
  }
  const sums = new Map(set.lines.map((sum) => [sum.detail, sum]))
  const billed = Map.groupBy(lines, ({ detailId }) => detailId)
  const lineResults = lines.map((line): LineReconciliation | undefined => {
    const sum = line.detailId === null ? undefined : sums.get(line.detailId)
    const same = billed.get(line.detailId) ?? []
    // Several lines with one id exist in drafts only: the first carries the result for all.
    if (!sum || same[0] !== line) return undefined
    const lineDifference = new Big(together(same.map(({ amount }) => ({ count: 1, amount }))).amount).minus(
      sum.amount,
    )
    const { count, corrections } = sum
    return {
      count,
      amount: sum.amount,
      corrections,
      difference: decimalText(lineDifference),
      isMismatched: !isSmall(lineDifference),
    }
  })
  const billedDetails = new Set(billed.keys())
  const linesWithCharges = lineResults.filter((line) => line !== undefined)
  const mismatches = differencesOf(linesWithCharges.filter(({ isMismatched }) => isMismatched))
  const rounding = differencesOf(linesWithCharges.filter(({ isMismatched }) => !isMismatched)).amount
  const withoutLine = together(
    set.lines.filter(({ detail }) => detail === null || !billedDetails.has(detail)),
  )
  const isBare = ({ detailId, amount }: BillLine) =>
    (detailId === null || !sums.has(detailId)) && !new Big(amount).eq(0)
  const bare = lines.filter(isBare)
  const withoutCharges = together(bare.map(({ amount }) => ({ count: 1, amount })))
  const isWhole = mismatches.count + withoutLine.count + withoutCharges.count === 0
  return {
    ...whole,
    agrees: isWhole && isSmall(difference.minus(rounding)),
    difference: decimalText(difference),
    rounding,
    lines: lineResults,
    apart: mismatches,
    withoutLine,
    withoutCharges,
  }
}

function byCategory(lines: readonly BillLine[], set: ChargeSet): CategoryReconciliation[] {
  const billed = new Map<string, Big>()
  const charged = new Map<string, Big>()
  const add = (to: Map<string, Big>, category: string, amount: string) =>
    to.set(category, (to.get(category) ?? new Big(0)).plus(amount))
  for (const { chargeCategory, amount } of lines) add(billed, chargeCategory ?? '', amount)
  for (const sum of set.lines)
    for (const [category, , amount] of sum.categories) add(charged, category, amount)
  const names = [...new Set([...billed.keys(), ...charged.keys()])].sort()
  return names.map((category) => {
    const [bill, charges] = [billed.get(category) ?? new Big(0), charged.get(category) ?? new Big(0)]
    return {
      category,
      billed: decimalText(bill),
      charges: decimalText(charges),
      difference: decimalText(bill.minus(charges)),
    }
  })
}

function differencesOf(lines: readonly LineReconciliation[]): Part {
  return together(lines.map(({ difference }) => ({ count: 1, amount: difference })))
}

function together(parts: readonly Part[]): Part {
  const count = parts.reduce((all, part) => all + part.count, 0)
  return { count, amount: decimalText(parts.reduce((all, part) => all.plus(part.amount), new Big(0))) }
}

/** Formats a decimal, without the minus sign that big.js writes before a zero. */
function decimalText(value: Big): string {
  return value.eq(0) ? '0' : value.toFixed()
}
