import Big from 'big.js'
import { numberOf } from '#lib/billing/invoices/serialize.ts'
import { epochOfDay } from '#lib/platform/values/days.ts'
import type { BilledProduct, BilledProducts } from './contract.ts'
import type { MonthRow } from './store.ts'

/** The rows of a product stand together, in their order. */
export function serializeProducts(rows: readonly MonthRow[]): BilledProducts {
  const products = [
    ...Map.groupBy(rows, ({ product, platform, currency }) =>
      JSON.stringify([product, platform, currency]),
    ).values(),
  ].flatMap(serializeProduct)
  return { products, otherCount: (rows[0]?.products ?? 0) - products.length }
}

function serializeProduct(rows: readonly MonthRow[]): BilledProduct[] {
  const [first] = rows
  if (!first) return []
  const { product, platform, currency } = first
  const amount = numberOf(rows.reduce((sum, row) => sum.plus(row.amount), new Big(0)))
  const months = rows.map((row) => ({
    month: epochOfDay(row.month),
    qty: numberOf(row.qty),
    amount: numberOf(row.amount),
    count: row.count,
  }))
  return [{ product, platform, currency, amount, months }]
}
