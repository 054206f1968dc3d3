import type Big from 'big.js'
import type { BillBuilder, SourceLocation } from '../focus/bill.ts'
import type { ChargeKey, FieldReader } from '../focus/fields.ts'
import type { Platforms } from '../focus/platforms.ts'
import type { ProblemList } from '../import-error.ts'
import { type Lack, missingList } from './missing.ts'
import type { PriceRule, Prices, Rule } from './prices.ts'

/** Reseller's rule for charges of one kind, or the missing rule. */
export type RuleResult = { rule: Rule } | { lack: Lack }
/** Row of a charge, and the reader of its columns. */
type ChargeRow = { fields: FieldReader; row: readonly string[]; location: SourceLocation }
/** Price of a charge for its customer; with the quantity for a fixed price. */
type Price = { amount: Big; quantity?: Big }

/** Finds rules for charges, and collects charges without a rule, which are never passed on at cost. */
export function pricing(prices: Prices, platforms: Platforms, problems: ProblemList) {
  const uncovered = missingList('no rule gives it a price')
  const currencies = new Map<PriceRule, string>()

  /**
   * Returns the currency of a price's first use where different: a price without a currency applies to one currency only.
   */
  const isOtherCurrency = (rule: PriceRule, currency: string) => {
    if (rule.rule.kind !== 'fixed' || rule.hasCurrency) return undefined
    const before = currencies.get(rule) ?? currency
    currencies.set(rule, before)
    return before === currency ? undefined : before
  }

  return {
    ruleOf(
      chargeKey: ChargeKey,
      { header: bill, owner }: BillBuilder,
      customer: string | undefined,
      location: SourceLocation,
    ): RuleResult {
      const { sku, category, service } = chargeKey
      const [platform, whose] = [platforms(chargeKey.provider), owner?.customer ?? customer]
      const priceRule = prices.ruleFor({ customer: whose, platform, sku, category, currency: bill.currency })
      if (!priceRule) {
        const what =
          sku === undefined ? `${service} of ${platform} without SkuId` : `SKU ${sku} of ${platform}`
        const subject = `${what}, ${category}${whose === undefined ? '' : `, customer ${whose}`}`
        return { lack: uncovered.entryFor(subject, bill.currency) }
      }
      const other = isOtherCurrency(priceRule, bill.currency)
      if (other) {
        const where = `line ${priceRule.line} of ${prices.file}`
        const reason = `the price in ${where} names no currency, and is used for ${other} and ${bill.currency}`
        problems.add({ ...location, column: 'BillingCurrency', reason })
      }
      return { rule: priceRule.rule }
    },
    /** @returns undefined where the row lacks a value that the rule needs; the problem is then recorded */
    priceOf(rule: Rule, billed: Big, { fields, row, location: { line } }: ChargeRow): Price | undefined {
      if (rule.kind === 'percent') return { amount: billed.times(rule.factor) }
      if (rule.kind === 'column') {
        const amount = fields.amount(row, line, rule.column)
        return amount && { amount }
      }
      const quantity = fields.quantity(row, line)
      return quantity && { amount: quantity.times(rule.price), quantity }
    },
    throwIfAny: () => uncovered.throwIfAny(),
  }
}
