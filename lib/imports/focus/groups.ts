import Big from 'big.js'
import type { IssuerSpellings } from '#lib/imports/focus/issuer-spellings.ts'
import type { ProblemList } from '../import-error.ts'
import { usageReader, widen } from '../posting/usage.ts'
import type { Lack } from '../resale/missing.ts'
import type { Rule } from '../resale/prices.ts'
import { pricing } from '../resale/pricing.ts'
import type { BillBuilder, ChargeGroup, Priced, SourceLocation } from './bill.ts'
import type { Field, Header } from './columns.ts'
import type { ChargeKey, FieldReader } from './fields.ts'
import { isTwice, twice } from './merge.ts'
import type { Terms } from './terms.ts'

/** Charges with equal fields: their line, or the missing price. */
export type Kind = { group: ChargeGroup; rule?: Rule | undefined } | { lack: Lack }
/** Row with its reader. */
export type RowAt = { header: Header; fields: FieldReader; row: readonly string[]; location: SourceLocation }

const CHARGE: readonly Field[] = ['provider', 'service', 'category', 'detail']
const PRICED: readonly Field[] = [...CHARGE, 'sku']

/** Puts charges together that become one line: of one provider, service and category, and priced by one rule. */
export function groupsOf(
  { platforms, prices, customer }: Terms,
  problems: ProblemList,
  issuers: IssuerSpellings,
) {
  const priced = prices && pricing(prices, platforms, problems)
  const keyFields = prices ? PRICED : CHARGE
  const usageOf = usageReader()

  const kindOf = (bill: BillBuilder, { fields, row, location }: RowAt): Kind | undefined => {
    const chargeKey = fields.charge(row, location.line)
    if (!chargeKey) return undefined
    const provider = issuers.see(chargeKey.provider)
    if (!priced) return { group: groupOf(bill, provider, chargeKey, undefined) }
    const code = fields.code(row, location.line, 'sku')
    if (!code) return undefined
    const sku = code.value
    const result = priced.ruleOf({ ...chargeKey, sku }, bill, customer, location)
    if ('lack' in result) return result
    // With one price per SKU, a line has a quantity and a price.
    const named = result.rule.kind === 'fixed' ? { ...chargeKey, sku } : chargeKey
    return { group: groupOf(bill, provider, named, result.rule), rule: result.rule }
  }

  return {
    /**
     * Adds a charge to its line of a bill.
     * @param kinds kinds of the bill's rows, cached by key
     * @returns the invoiced amount; undefined where the charge has no price or an error
     */
    add(bill: BillBuilder, kinds: Map<string, Kind>, billed: Big, at: RowAt): Big | undefined {
      const text = at.header.keyOf(at.row, keyFields)
      const kind = kinds.get(text) ?? kindOf(bill, at)
      if (!kind) return undefined
      kinds.set(text, kind)
      if ('lack' in kind) {
        kind.lack.add(billed)
        return undefined
      }
      const { group, rule } = kind
      if (group.count > 0 && isTwice(bill.header, group)) {
        problems.add({ ...at.location, ...twice(bill.header, group) })
        return undefined
      }
      const price = rule ? priced?.priceOf(rule, billed, at) : { amount: billed }
      if (!price) return undefined
      widen(group.usage, usageOf(at.header, at.row), group.count === 0)
      group.count += 1
      group.cost = group.cost.plus(price.amount)
      if (group.priced) addPriced(group.priced, billed, price)
      return price.amount
    },
    /** @throws ImportError that lists the charges without a rule */
    throwIfAny: () => priced?.throwIfAny(),
  }
}

function addPriced(priced: Priced, billed: Big, { quantity }: { quantity?: Big }): void {
  priced.billed = priced.billed.plus(billed)
  if (priced.each && quantity) priced.each.quantity = priced.each.quantity.plus(quantity)
}

/** @param provider its name as it is compared */
function groupOf(
  { groups }: BillBuilder,
  provider: string,
  chargeKey: ChargeKey,
  rule: Rule | undefined,
): ChargeGroup {
  const { service, category, sku, detail } = chargeKey
  const key = JSON.stringify([provider, service, category, detail, sku, rule?.text])
  const existing = groups.get(key)
  if (existing) return existing
  const each = rule?.kind === 'fixed' ? { quantity: new Big(0), price: rule.price.toFixed() } : undefined
  const priced = rule && { rule: rule.text, billed: new Big(0), each }
  const group: ChargeGroup = {
    ...chargeKey,
    count: 0,
    cost: new Big(0),
    usage: {},
    ...(priced && { priced }),
  }
  groups.set(key, group)
  return group
}
