import Big from 'big.js'
import { decimalOf } from '#lib/platform/values/decimals.ts'
import { decimalFault, quoted } from '../faults.ts'

/** How the price of a charge is made. `text` tells it to operators. */
export type Rule = { text: string } & (
  | { kind: 'percent'; factor: Big }
  /** Per quantity. */
  | { kind: 'fixed'; price: Big }
  /** The amount in another column of the file. */
  | { kind: 'column'; column: string }
)

/** Sums in the billing currency, of a whole charge: a unit price or another currency's amount would be no price of it. */
const COLUMNS = ['ListCost', 'ContractedCost', 'EffectiveCost', 'BilledCost']

/**
 * Reads a rule: `+8%`, `-3.5%`, `4.50` or `ListCost`. A column of the operator's own begins with `x_`.
 * @returns it, or why it is none
 */
export function ruleOf(text: string): Rule | string {
  const [, percent] = /^(.*?)\s*%$/.exec(text) ?? []
  if (percent !== undefined) return percentRule(percent, text)
  const column = /^x_\w+$/i.test(text)
    ? text
    : COLUMNS.find((name) => name.toLowerCase() === text.toLowerCase())
  if (column) return { kind: 'column', column, text: column }
  const price = decimalOf(text)
  if (!price || /^[+-]/.test(text))
    return /\d/.test(text) && !price ? decimalFault(text) : `${quoted(text)} ${NO_RULE}`
  return { kind: 'fixed', price, text: `${price.toFixed()} each` }
}

const NO_RULE = `is no rule: write +8%, -3.5%, a price such as 4.50, or one of ${COLUMNS.join(', ')} and x_ columns`

function percentRule(percent: string, text: string): Rule | string {
  const value = decimalOf(percent)
  if (!value || !/^[+-]/.test(percent))
    return `${quoted(text)} is no per cent with its sign, such as +8% or -3.5%`
  if (value.lt(-100)) return `${quoted(text)} takes off more than all`
  const sign = value.lt(0) ? '-' : '+'
  return {
    kind: 'percent',
    factor: new Big(1).plus(value.times('0.01')),
    text: `${sign}${value.abs().toFixed()} %`,
  }
}
