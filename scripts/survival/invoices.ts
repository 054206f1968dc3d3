import Big from 'big.js'
import { type Random, randomFrom } from '#lib/demo/random.ts'
import type { NewInvoice, NewLineItem } from '#lib/imports/schemas.ts'
import { CURRENCIES, unitOf } from './currencies.ts'
import { hostileText } from './texts.ts'

const PLATFORMS = ['web-services', 'cloud-platform', 'workspace-suite', 'office-suite', 'own-slug'] as const

/** Relations between an invoice's total and its lines. */
const TOTALS = [
  'sum',
  'sum',
  'sum of rounded lines',
  'sum of prices',
  'more',
  'less',
  'anything',
  'finer',
] as const

/** Yields so many invented invoices, the same each time: all kinds of currencies, texts, sums and lengths. */
export function* survivors(count: number): Generator<NewInvoice> {
  for (let index = 0; index < count; index++) yield invoiceOf(index, randomFrom(`survivor ${index}`))
}

export const ISSUERS = Array.from({ length: 40 }, (_, index) => {
  const random = randomFrom(`issuer ${index}`)
  const some = () => (random.next() < 0.3 ? null : hostileText(random))
  const name = `${hostileText(random)} ${index}`
  const details = { address: some(), taxId: some(), bank: some(), account: some(), terms: some() }
  return { name, ...details, iban: random.choose([null, 'DE02120300000000202051']), bic: some() }
})

function invoiceOf(index: number, random: Random): NewInvoice {
  const currency = CURRENCIES[index % CURRENCIES.length] ?? 'USD'
  const platform = random.choose(PLATFORMS)
  // One invoice in a hundred is long.
  const length = index % 100 === 99 ? random.int(200, 1200) : random.int(1, random.choose([1, 4, 20]))
  const lines = Array.from({ length }, () => lineOf(platform, currency, random))
  const sum = totalOf(lines, currency, random)
  const total = isExactAsJson(sum) ? sum : new Big(random.int(1, 99_999))
  const day = new Date(Date.UTC(2023, 0, 1 + random.int(0, 1400)))
  const due = new Date(day.getTime() + random.int(0, 90) * 86_400_000)
  return {
    number: `${hostileText(random).slice(0, 120)}#${index}`,
    platform,
    issuer: ISSUERS[random.int(0, 99)]?.name ?? 'Reseller',
    invoiceDate: day.toISOString().slice(0, 10),
    dueDate: due.toISOString().slice(0, 10),
    currency,
    totalAmount: total.toFixed(),
    balanceAmount: balanceOf(total, currency, random),
    lines,
  }
}

function lineOf(type: string, currency: string, random: Random): NewLineItem {
  const decimals = random.choose([unitOf(currency), unitOf(currency), 4, 8])
  const price = new Big(random.int(-2000, 5_000_000)).div(10 ** random.int(0, decimals)).round(decimals)
  const qty = random.choose([1, 1, random.int(0, 5000), random.int(1, 99_999) / 100, -random.int(1, 9)])
  const details = random.next() < 0.5 ? hostileText(random) : null
  return { type, description: hostileText(random), price: price.toFixed(), qty: String(qty), details }
}

function totalOf(lines: NewLineItem[], currency: string, random: Random): Big {
  const decimals = unitOf(currency)
  const kind = random.choose(TOTALS)
  const round = (value: Big) => value.round(decimals, Big.roundHalfUp)
  const add = (amount: (line: NewLineItem) => Big) =>
    lines.reduce((sum, line) => sum.plus(amount(line)), new Big(0))
  const product = ({ price, qty }: NewLineItem) => new Big(price).times(qty)
  const other = new Big(random.int(1, 5_000_000)).div(10 ** decimals)
  const sum = round(add(product))
  if (kind === 'sum of rounded lines') return add((line) => round(product(line)))
  if (kind === 'sum of prices') return round(add(({ price }) => new Big(price)))
  if (kind === 'more') return sum.plus(other)
  if (kind === 'less') return sum.minus(other)
  if (kind === 'finer') return sum.plus(new Big(random.int(1, 99)).div(10 ** (decimals + 2)))
  return kind === 'anything' ? other.times(random.choose([1, -1])) : sum
}

function balanceOf(total: Big, currency: string, random: Random): string {
  const part = new Big(random.int(-5000, 200_000)).div(10 ** unitOf(currency))
  return random
    .choose([
      total,
      new Big(0),
      total.minus(part),
      part,
      new Big('-0.0').plus(part.times(-1)),
      part.div(1000),
    ])
    .toFixed()
}

/** Returns whether JSON represents the amount exactly; imports reject all others. */
function isExactAsJson(amount: Big): boolean {
  return new Big(amount.toNumber()).eq(amount)
}
