import Big from 'big.js'
import { serializeInvoice } from '#lib/billing/invoices/serialize.ts'
import { epochOfDay } from '#lib/platform/values/days.ts'
import type { Ageing, Statement, StatementItem } from './contract.ts'
import { AGES } from './rules.ts'
import type { AgeSum, OpenItem } from './store.ts'

type Sums = Pick<Statement, 'today' | 'count' | 'currencies'>

/**
 * Adds up per currency, and in it per billing profile; in the order of the sums.
 * @param names of the billing profiles, by id
 */
export function serializeSums(
  today: string,
  sums: readonly AgeSum[],
  names: ReadonlyMap<string, string>,
): Sums {
  const currencies = [...Map.groupBy(sums, ({ currency }) => currency)].map(([currency, own]) => ({
    currency,
    ...ageingOf(own),
    billingProfiles: [...Map.groupBy(own, (sum) => sum.billingProfileId)].map(([id, ones]) => ({
      id,
      name: names.get(id) ?? id,
      ...ageingOf(ones),
    })),
  }))
  const count = sums.reduce((all, one) => all + one.count, 0)
  return { today: epochOfDay(today), count, currencies }
}

export function serializeItem(row: OpenItem, baseUrl: string): StatementItem {
  const { billingProfileId, age, daysPastDue } = row
  return { ...serializeInvoice(row, baseUrl), billingProfileId, age, daysPastDue }
}

/** All of one currency. */
function ageingOf(sums: readonly AgeSum[]): Ageing {
  const total = (some: readonly AgeSum[]) => ({
    count: some.reduce((all, { count }) => all + count, 0),
    amount: Number(some.reduce((all, { amount }) => all.plus(amount), new Big(0)).toFixed()),
  })
  const { count, amount: balanceAmount } = total(sums)
  const parts = AGES.map((age) => [age, total(sums.filter((sum) => sum.age === age))] as const)
  return { count, balanceAmount, ...(Object.fromEntries(parts) as Pick<Ageing, (typeof AGES)[number]>) }
}
