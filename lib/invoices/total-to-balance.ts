import type Big from 'big.js'
import { Exact } from '#lib/decimals.ts'
import type { Decimal } from '#lib/money.ts'

type Labelled = { label: string; amount: string }

/** From an invoice's total to what is left of it; amounts are plain decimal text in its currency. */
export type Settlement = {
  total: string
  /** Balance less total, with its reason: what was paid, credited, refunded or added since. */
  settled: Labelled
  balance: Labelled
}

/** What became of an invoice's total, in words and exactly. */
export function settlementOf(invoice: { totalAmount: Decimal; balanceAmount: Decimal }): Settlement {
  const total = new Exact(invoice.totalAmount)
  const balance = new Exact(invoice.balanceAmount)
  return {
    total: total.toFixed(),
    settled: { label: settledLabel(total, balance), amount: balance.minus(total).toFixed() },
    balance: { label: balance.lt(0) ? 'Credit balance' : 'Balance due', amount: balance.toFixed() },
  }
}

function settledLabel(total: Big, balance: Big): string {
  const moved = balance.minus(total)
  if (moved.gt(0)) return total.lt(0) ? 'Refunded or used' : 'Added since'
  return 'Paid or credited'
}
