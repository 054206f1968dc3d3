import Big from 'big.js'
import { currencyError } from '#lib/platform/values/currency-codes.ts'
import { decimalOf } from '#lib/platform/values/decimals.ts'
import { slugOf } from '../focus/platforms.ts'
import { decimalError, quoted } from '../value-errors.ts'
import { readTable } from './table.ts'

/** Fields by which a rule is chosen. */
export type Charge = {
  customer: string | undefined
  platform: string
  sku: string | undefined
  category: string
  currency: string
}
/** Rule with its line, and whether it names a currency. */
export type PriceRule = { rule: Rule; line: number; hasCurrency: boolean }

/** A reseller's prices. */
export type Prices = {
  file: string
  /** Returns the most specific rule for a charge; undefined where none applies. */
  ruleFor(charge: Charge): PriceRule | undefined
  /** Returns each customer that a rule names, with its first line. The caller checks whether they exist. */
  customers(): { customer: string; line: number }[]
}

type Key = Partial<Record<keyof Charge, string>>

/** Precedence, most specific first; of equal rules, one with a category precedes one with a currency. */
const ORDER: readonly (readonly (keyof Charge)[])[] = [
  ['customer', 'platform', 'sku'],
  ['customer', 'sku'],
  ['platform', 'sku'],
  ['sku'],
  ['customer', 'platform'],
  ['platform'],
  ['customer'],
  [],
]
const NARROWED: readonly (readonly (keyof Charge)[])[] = [
  ['category', 'currency'],
  ['category'],
  ['currency'],
  [],
]
/**
 * Categories with a quantity and a list price. Fixed and list prices apply to other categories only by a rule that
 * names the category.
 */
const PRICED = ['usage', 'purchase']

/**
 * Reads a file of price rules: `customer`, `platform`, `sku`, `rule`, and optionally `category` and `currency`. Blank
 * means any.
 * @throws ImportError that lists its errors: invalid rules, and two equally specific rules
 */
export async function readPrices(
  text: AsyncIterable<string>,
  file: string,
  signal?: AbortSignal,
): Promise<Prices> {
  const rules = new Map<string, PriceRule>()
  const customers = new Map<string, number>()
  const columns = {
    required: ['customer', 'platform', 'sku', 'rule'],
    optional: ['category', 'currency'],
  } as const
  await readTable(text, {
    file,
    columns,
    onRow: ({ line, cells: { rule: ruleText, ...key } }) => {
      if (ruleText === undefined) return 'has no rule'
      const rule = ruleOf(ruleText)
      if (typeof rule === 'string') return rule
      const { customer, platform, currency } = key
      if (platform !== undefined && slugOf(platform) !== platform)
        return `${quoted(platform)} is no platform such as web-services`
      const unknown = currency && currencyError(currency)
      if (unknown) return `its currency ${unknown}`
      const before = rules.get(keyOf(key))
      if (before) return `is as specific as line ${before.line}`
      if (customer !== undefined && !customers.has(customer)) customers.set(customer, line)
      rules.set(keyOf(key), { rule, line, hasCurrency: currency !== undefined })
      return undefined
    },
    signal,
  })
  return {
    file,
    ruleFor(charge) {
      for (const fields of ORDER)
        for (const more of NARROWED) {
          const rule = rules.get(keyOf(only(charge, [...fields, ...more])))
          if (rule && holds(rule.rule, charge, more.includes('category'))) return rule
        }
      return undefined
    },
    customers: () => [...customers].map(([customer, line]) => ({ customer, line })),
  }
}

function holds({ kind }: Rule, { category }: Charge, isNamed: boolean): boolean {
  return kind === 'percent' || isNamed || PRICED.includes(category.toLowerCase())
}

/**
 * Returns the charge's values of these fields. A missing value, such as a SKU, differs from a blank cell, which means
 * any.
 */
function only(charge: Charge, fields: readonly (keyof Charge)[]): Key {
  return Object.fromEntries(fields.map((field) => [field, charge[field] ?? '\u0000']))
}

function keyOf({ customer = '', platform = '', sku = '', category = '', currency = '' }: Key): string {
  return JSON.stringify([customer, platform, sku, category.toLowerCase(), currency])
}

/** Rule for the price of a charge. `text` describes it to operators. */
export type Rule = { text: string } & (
  | { kind: 'percent'; factor: Big }
  /** Per quantity. */
  | { kind: 'fixed'; price: Big }
  /** The amount in another column of the file. */
  | { kind: 'column'; column: string }
)

/**
 * Columns with whole charges in the billing currency: unit prices and amounts in other currencies are no prices of a
 * charge.
 */
const COLUMNS = ['ListCost', 'ContractedCost', 'EffectiveCost', 'BilledCost']

/**
 * Reads a rule: `+8%`, `-3.5%`, `4.50` or `ListCost`. The operator's own columns begin with `x_`.
 * @returns the rule, or the error as text
 */
function ruleOf(text: string): Rule | string {
  const [, percent] = /^(.*?)\s*%$/.exec(text) ?? []
  if (percent !== undefined) return percentRule(percent, text)
  const column = /^x_\w+$/i.test(text)
    ? text
    : COLUMNS.find((name) => name.toLowerCase() === text.toLowerCase())
  if (column) return { kind: 'column', column, text: column }
  const price = decimalOf(text)
  if (!price || /^[+-]/.test(text))
    return /\d/.test(text) && !price ? decimalError(text) : `${quoted(text)} ${NO_RULE}`
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
