import type { LastPrice } from '#lib/costs/license-prices/rules.ts'
import { dayText } from '#lib/platform/values/days.ts'
import { moneyText, sumOf } from '#lib/platform/values/money.ts'

/** Returns the cost or the savings of a change by that many licenses, at the price last billed. */
export function costText(change: number, { price, currency, invoiceId, invoiceDate }: LastPrice): string {
  const amount = moneyText(sumOf([[price, Math.abs(change)]]), currency)
  const direction = change > 0 ? 'more' : 'less'
  const where = [...(invoiceId === undefined ? [] : [invoiceId]), dayText(invoiceDate)].join(', ')
  return `About ${amount} ${direction} per billing period, at the price last billed (${where}).`
}
