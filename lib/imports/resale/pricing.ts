import type Big from 'big.js'
import type { Known, Place } from '../focus/bill.ts'
import type { ChargeHead, FieldReader } from '../focus/fields.ts'
import type { Platforms } from '../focus/platforms.ts'
import type { ProblemList } from '../refused.ts'
import { type Lack, lacking } from './lacking.ts'
import type { PriceRule, Prices, Rule } from './prices.ts'

/** A reseller's rule for charges of one kind, or that there is none. */
export type Found = { rule: Rule } | { lack: Lack }
/** What a charge costs its customer; the quantity where the price is a fixed one. */
type Price = { amount: Big; quantity?: Big }

/** Finds rules for charges, and keeps what no rule covers: that is never passed on at cost. */
export function pricing(prices: Prices, platforms: Platforms, problems: ProblemList) {
  const uncovered = lacking('no rule gives it a price')
  const currencies = new Map<PriceRule, string>()

  /** A price that names no currency is one of the first currency that it is used for, and of no other. */
  const isOtherCurrency = (found: PriceRule, currency: string) => {
    if (found.rule.kind !== 'fixed' || found.hasCurrency) return undefined
    const before = currencies.get(found) ?? currency
    currencies.set(found, before)
    return before === currency ? undefined : before
  }

  return {
    ruleOf(
      head: ChargeHead,
      { head: bill, owner }: Known,
      customer: string | undefined,
      place: Place,
    ): Found {
      const { sku, category, service } = head
      const [platform, whose] = [platforms(head.provider), owner?.customer ?? customer]
      const found = prices.ruleFor({ customer: whose, platform, sku, category, currency: bill.currency })
      if (!found) {
        const what =
          sku === undefined ? `${service} of ${platform} without SkuId` : `SKU ${sku} of ${platform}`
        const subject = `${what}, ${category}${whose === undefined ? '' : `, customer ${whose}`}`
        return { lack: uncovered.of(subject, bill.currency) }
      }
      const other = isOtherCurrency(found, bill.currency)
      if (other) {
        const where = `line ${found.line} of ${prices.file}`
        const reason = `the price in ${where} names no currency, and is used for ${other} and ${bill.currency}`
        problems.add({ ...place, column: 'BillingCurrency', reason })
      }
      return { rule: found.rule }
    },
    /** @returns undefined where the row lacks what the rule needs, and the problem is on the list then */
    priceOf(
      rule: Rule,
      billed: Big,
      fields: FieldReader,
      row: readonly string[],
      line: number,
    ): Price | undefined {
      if (rule.kind === 'percent') return { amount: billed.times(rule.factor) }
      if (rule.kind === 'column') {
        const amount = fields.amount(row, line, rule.column)
        return amount && { amount }
      }
      const quantity = fields.quantity(row, line)
      return quantity && { amount: quantity.times(rule.price), quantity }
    },
    refuseIfAny: () => uncovered.refuseIfAny(),
  }
}
