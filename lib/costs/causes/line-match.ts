import Big from 'big.js'

/** A line of an invoice with its amount, or several lines that are alike taken together. */
export type Part = {
  type: string
  description: string
  /** Null also where lines of several details are taken together. */
  details: string | null
  currency: string
  /** Per unit. Absent where lines of several prices are taken together. */
  price: Big | undefined
  qty: Big
  amount: Big
  /** The quantity is that of the charges: the price follows from it and from the rounded amount. */
  isMetered?: boolean | undefined
  /** Number of lines in the part. */
  lines: number
}

/** Parts of two invoices that bill the same item; a side is absent where only the other bills the item. */
export type Pair = { from?: Part; to?: Part }

type Keyed = Part & { keys: readonly string[]; product: string }

const NONE = new Big(-1)
type Sides = { from: Keyed[]; to: Keyed[] }

/**
 * Matches the lines of two invoices that bill the same item: first by equal type, description and details; then without
 * the parts that change monthly. Among equal lines, those of the same price and quantity match first; then those of the
 * same price, merged, because a line may have been split in two; then those of the same quantity; then in price order.
 * Last, a single line of a product matches several lines of the other invoice with details of their own.
 * @returns each line in exactly one pair; the mirror image for swapped sides
 */
export function matchLines(from: readonly Part[], to: readonly Part[]): Pair[] {
  const pairs: Pair[] = []
  let rest: Sides = { from: from.map(withKeys), to: to.map(withKeys) }
  const isSplit = splitProducts(rest)
  const pair = (keyOf: (part: Keyed) => string) => {
    rest = pairBy(rest, keyOf, pairs)
  }
  for (const level of [0, 1, 2]) {
    const key = (part: Keyed) => part.keys[level] ?? ''
    const priced = (part: Keyed) => `${key(part)} ${part.price?.toFixed()}`
    pair((part) => `${priced(part)} ${part.qty.toFixed()} ${part.amount.toFixed()}`)
    rest = joined(rest, priced)
    pair(priced)
    pair((part) => `${key(part)} ${part.qty.toFixed()}`)
    pair(key)
  }
  const split = isSplit(rest)
  const whole = { from: rest.from.filter(split), to: rest.to.filter(split) }
  const product = (part: Keyed) => part.product
  pairBy(joined(whole, product), product, pairs)
  const alone = (part: Keyed) => !split(part)
  return [
    ...pairs,
    ...rest.from.filter(alone).map((part) => ({ from: part })),
    ...rest.to.filter(alone).map((part) => ({ to: part })),
  ]
}

/** Pairs parts with equal keys on both sides, in the order of price and quantity. */
function pairBy({ from, to }: Sides, keyOf: (part: Keyed) => string, pairs: Pair[]): Sides {
  const others = Map.groupBy(to, keyOf)
  const rest: Sides = { from: [], to: [] }
  for (const [key, group] of Map.groupBy(from, keyOf)) {
    const other = others.get(key) ?? []
    others.delete(key)
    const [left, right] = [group.toSorted(byPrice), other.toSorted(byPrice)]
    const both = Math.min(left.length, right.length)
    for (const [index, part] of left.slice(0, both).entries()) pairs.push({ from: part, to: right[index] })
    rest.from.push(...left.slice(both))
    rest.to.push(...right.slice(both))
  }
  for (const other of others.values()) rest.to.push(...other)
  return rest
}

/** Merges the parts of a side that share a key. */
function joined({ from, to }: Sides, keyOf: (part: Keyed) => string): Sides {
  const side = (parts: Keyed[]) =>
    [...Map.groupBy(parts, keyOf).values()].map((same) => same.toSorted(byPrice).reduce(together))
  return { from: side(from), to: side(to) }
}

function together(one: Keyed, other: Keyed): Keyed {
  const samePrice = one.price && other.price && one.price.eq(other.price)
  return {
    ...one,
    details: one.details === other.details ? one.details : null,
    price: samePrice ? one.price : undefined,
    qty: one.qty.plus(other.qty),
    amount: one.amount.plus(other.amount),
    lines: one.lines + other.lines,
  }
}

/** Returns the products that remain entirely unmatched, with one line on one side and several on the other. */
function splitProducts(all: Sides) {
  const had = { from: linesOf(all.from), to: linesOf(all.to) }
  return (rest: Sides) => {
    const has = { from: linesOf(rest.from), to: linesOf(rest.to) }
    return ({ product }: Keyed) => {
      const [one = 0, other = 0] = [had.from.get(product), had.to.get(product)]
      const isUntouched = has.from.get(product) === one && has.to.get(product) === other
      return isUntouched && Math.min(one, other) === 1 && Math.max(one, other) > 1
    }
  }
}

function linesOf(parts: Keyed[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { product, lines } of parts) counts.set(product, (counts.get(product) ?? 0) + lines)
  return counts
}

function withKeys(part: Part): Keyed {
  return { ...part, keys: keysOf(part), product: productOf(part) }
}

/** Compares parts independent of the lines' order: parts with several prices come first, as if without a price. */
function byPrice(a: Keyed, b: Keyed): number {
  const [one, other] = [a.price ?? NONE, b.price ?? NONE]
  return one.cmp(other) || a.qty.cmp(b.qty) || a.amount.cmp(b.amount) || a.lines - b.lines
}

// Keys by which lines of two invoices count as the same item.

type Line = { type: string; description: string; details: string | null; currency: string }

/** Returns the product key, regardless of details. */
function productOf({ currency, type, description }: Omit<Line, 'details'>): string {
  return JSON.stringify([currency, type, description])
}

/** Returns the product key, regardless of details and of dates in the description. */
export function stableProductOf(line: Omit<Line, 'details'>): string {
  return productOf({ ...line, description: withoutDates(line.description) })
}

/**
 * Returns a line's keys, strictest first: exact type, description and details; details without dates and counts
 * (`Usage, 18 charges`, `1 – 30 Sep 2026`); description without dates as well. Numbers that identify something
 * (`Account 0925`, `16 vCPU` in a description) are always kept.
 */
function keysOf(line: Line): readonly string[] {
  const { type, description, details, currency } = line
  const product = productOf(line)
  const stableText = withoutCounts(withoutDates(details ?? ''))
  const undated = stableProductOf(line)
  return [
    JSON.stringify([currency, type, description, details]),
    `${product}${stableText}`,
    `${undated}${stableText}`,
  ]
}

const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?'
const YEAR = '(?:19|20)\\d\\d'
const DAY = '\\d{1,2}(?:st|nd|rd|th)?'
const DATE = [
  `${YEAR}-\\d\\d(?:-\\d\\d)?(?:[t ]\\d\\d:\\d\\d(?::\\d\\d)?z?)?`,
  `\\d{1,2}[./]\\d{1,2}[./]${YEAR}`,
  `(?:${DAY} ?[-–] ?)?${DAY} ${MONTH}(?:,? ${YEAR})?`,
  `${MONTH} ${DAY}(?: ?[-–] ?${DAY})?(?:,? ${YEAR})?`,
  `${MONTH} ${YEAR}`,
  `q[1-4][ /-]?${YEAR}`,
]
const DATES = new RegExp(`(?<![\\p{L}\\d])(?:${DATE.join('|')})(?![\\p{L}\\d])`, 'giu')
const PERIODS = /#(?: ?(?:[-–—/]|to|until) ?#)+/g

/** Dates and periods become one sign, however long they are. */
function withoutDates(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase().replace(DATES, '#').replace(PERIODS, '#')
}

// At the beginning, or after a comma or a bracket; a plural s belongs to the number.
const COUNTS = /(?<=^|[,;(] ?)\d[\d.,]* (\p{L}+?)s?(?!\p{L})/gu

/** Counts of something become the thing that is counted: `18 charges` is `n charge`. */
function withoutCounts(text: string): string {
  return text.replace(COUNTS, 'n $1')
}
