import { numberOf } from '#lib/billing/invoices/serialize.ts'
import { serializeCause } from '#lib/costs/causes/serialize.ts'
import { epochOfDay } from '#lib/platform/values/days.ts'
import type { InvoiceExplanation } from './contract.ts'
import type { MonthExplanation } from './read.ts'

export function serializeExplanation({ month, currencies, months }: MonthExplanation): InvoiceExplanation {
  return {
    month: epochOfDay(month.begin),
    previousMonth: epochOfDay(month.before),
    currencies: currencies.map(({ currency, from, to, causes, unchanged, tax }) => ({
      currency,
      fromCount: from.count,
      toCount: to.count,
      fromAmount: numberOf(from.total),
      toAmount: numberOf(to.total),
      effectAmount: numberOf(to.total.minus(from.total)),
      causes: causes.map((cause) => serializeCause(cause, cause)),
      unchangedCount: unchanged,
      ...(tax ? { tax } : {}),
    })),
    months: months.map(epochOfDay),
  }
}
