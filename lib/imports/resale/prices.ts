import { currencyFault } from '#lib/platform/values/currencies.ts'
import { quoted } from '../faults.ts'
import { slugOf } from '../focus/platforms.ts'
import { type Rule, ruleOf } from './rule.ts'
import { readTable } from './table.ts'

/** What a rule is chosen by. */
export type Charge = {
  customer: string | undefined
  platform: string
  sku: string | undefined
  category: string
  currency: string
}
/** A rule with the line that it stands on, and whether it names a currency. */
export type PriceRule = { rule: Rule; line: number; hasCurrency: boolean }

/** A reseller's prices. */
export type Prices = {
  file: string
  /** The most specific rule that holds for a charge; undefined where none does. */
  ruleFor(charge: Charge): PriceRule | undefined
  /** Each customer that a rule names, with its first line: whether they exist, the caller knows. */
  customers(): { customer: string; line: number }[]
}

type Key = Partial<Record<keyof Charge, string>>

/** From the most specific to the least; of equal ones, a rule with a category, then one with a currency comes first. */
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
/** What has a quantity and a list price. Anything else is given such a price only by a rule that names its category. */
const PRICED = ['usage', 'purchase']

/**
 * Reads a file of price rules: `customer`, `platform`, `sku`, `rule`, and where there are such columns `category` and
 * `currency`. Blank means any.
 * @throws ImportRefused that lists what is wrong with it: what is no rule, and two that are equally specific
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
  await readTable(
    text,
    file,
    columns,
    ({ line, cells: { rule: words, ...key } }) => {
      if (words === undefined) return 'has no rule'
      const rule = ruleOf(words)
      if (typeof rule === 'string') return rule
      const { customer, platform, currency } = key
      if (platform !== undefined && slugOf(platform) !== platform)
        return `${quoted(platform)} is no platform such as web-services`
      const unknown = currency && currencyFault(currency)
      if (unknown) return `its currency ${unknown}`
      const before = rules.get(keyOf(key))
      if (before) return `is as specific as line ${before.line}`
      if (customer !== undefined && !customers.has(customer)) customers.set(customer, line)
      rules.set(keyOf(key), { rule, line, hasCurrency: currency !== undefined })
      return undefined
    },
    signal,
  )
  return {
    file,
    ruleFor(charge) {
      for (const fields of ORDER)
        for (const more of NARROWED) {
          const found = rules.get(keyOf(only(charge, [...fields, ...more])))
          if (found && holds(found.rule, charge, more.includes('category'))) return found
        }
      return undefined
    },
    customers: () => [...customers].map(([customer, line]) => ({ customer, line })),
  }
}

function holds({ kind }: Rule, { category }: Charge, isNamed: boolean): boolean {
  return kind === 'percent' || isNamed || PRICED.includes(category.toLowerCase())
}

/** What a charge has in these fields. One that it has not, such as a SKU, is no blank cell, which would mean any. */
function only(charge: Charge, fields: readonly (keyof Charge)[]): Key {
  return Object.fromEntries(fields.map((field) => [field, charge[field] ?? '\u0000']))
}

function keyOf({ customer = '', platform = '', sku = '', category = '', currency = '' }: Key): string {
  return JSON.stringify([customer, platform, sku, category.toLowerCase(), currency])
}
