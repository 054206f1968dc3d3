import 'server-only'
import Big from 'big.js'
import { rethrowTimeout } from '#lib/platform/api/error-mapper.ts'
import { operation } from '#lib/platform/api/operation.ts'
import { readScopeAtOnce } from '#lib/platform/db/scope.ts'
import { epochOfDay } from '#lib/platform/values/days.ts'
import { toJsonNumber } from '#lib/platform/values/numbers.ts'
import type { BilledProduct, BilledProducts } from './contract.ts'
import * as contract from './contract.ts'
import { type MonthRow, sumProducts } from './store.ts'

const throwTooManyLines = rethrowTimeout(
  'To add up these lines takes longer than a request may. A shorter time, one platform or one billing profile makes them fewer.',
)

export const readBilledProducts = operation(contract.readBilledProducts, async (caller, { query }) => ({
  body: serializeProducts(
    await readScopeAtOnce(caller, (tx) => sumProducts(tx, caller, query), { mayBeOld: true }).catch(
      throwTooManyLines,
    ),
  ),
}))

/** Serializes rows that are grouped and sorted by product. */
function serializeProducts(rows: readonly MonthRow[]): BilledProducts {
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
  const amount = toJsonNumber(rows.reduce((sum, row) => sum.plus(row.amount), new Big(0)))
  const months = rows.map((row) => ({
    month: epochOfDay(row.month),
    qty: toJsonNumber(row.qty),
    amount: toJsonNumber(row.amount),
    count: row.count,
  }))
  return [{ product, platform, currency, amount, months }]
}
