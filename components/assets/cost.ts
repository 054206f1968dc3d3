import { dayText } from '#lib/days.ts'
import { moneyText, sumOf } from '#lib/money.ts'

/** What one license cost when it was last billed. */
export type LastPrice = {
  price: number
  currency: string
  invoiceId: string
  /** Epoch milliseconds of a day. */
  invoiceDate: number
}

/** What a change of that many licenses costs or saves, at the price last billed. */
export function costText(change: number, { price, currency, invoiceId, invoiceDate }: LastPrice): string {
  const amount = moneyText(sumOf([[price, Math.abs(change)]]), currency)
  const direction = change > 0 ? 'more' : 'less'
  return `About ${amount} ${direction} per billing period, at the price last billed (${invoiceId}, ${dayText(invoiceDate)}).`
}
