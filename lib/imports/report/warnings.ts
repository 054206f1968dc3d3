import { itemize } from '#lib/billing/invoices/itemization.ts'
import { fitsRate, isConsistent, lineBasisOf, netOfLine, taxOf } from '#lib/billing/posting/tax.ts'
import { isWithdrawn } from '#lib/platform/values/currency-codes.ts'
import { addDays } from '#lib/platform/values/days.ts'
import { Exact } from '#lib/platform/values/decimals.ts'
import { isFiner } from '#lib/platform/values/money.ts'
import { PLATFORMS } from '#lib/platform/values/platforms.ts'
import { type Platforms, slugOf } from '../focus/platforms.ts'
import type { NewInvoice } from '../schemas.ts'
import { type ImportWarning, MAX_EXAMPLES, MAX_LEFT_OUT, type WarningName } from './report.ts'

/** Days after which an unpaid invoice is reported as late. */
const OVERDUE_DAYS = 30
/** Days after which a period that is new looks like history. */
const OLD = 90

const ORDER: readonly WarningName[] = [
  'alike',
  'finer',
  'unbalanced',
  'negative',
  'above',
  'overpaid',
  'tax',
  'late',
  'draft',
  'history',
  'platform',
  'withdrawn',
]

/** Collects warnings about data that is allowed but suspicious. */
export function warningList() {
  const byName = new Map<WarningName, { count: number; examples: Set<string> }>()
  const add = (what: WarningName, example: string, count = 1) => {
    const entry = byName.get(what) ?? { count: 0, examples: new Set() }
    byName.set(what, entry)
    entry.count += count
    if (entry.examples.size < (what === 'alike' ? MAX_LEFT_OUT : MAX_EXAMPLES)) entry.examples.add(example)
  }
  return {
    add,
    list: (): ImportWarning[] =>
      ORDER.flatMap((what) => {
        const entry = byName.get(what)
        return entry ? [{ what, count: entry.count, examples: [...entry.examples] }] : []
      }),
  }
}

/** The days before which an invoice is late, or old. */
export type Limits = { overdueBefore: string; old: string }

/** @param today a day of UTC */
export function limitsOf(today: string): Limits {
  return { overdueBefore: addDays(today, -OVERDUE_DAYS), old: addDays(today, -OLD) }
}

/**
 * Returns the warnings about one invoice, each with its example.
 * @param isNew whether it was not stored before
 */
export function warningsOf(
  invoice: NewInvoice,
  { isNew, isHistory, limits }: { isNew: boolean; isHistory: boolean; limits: Limits },
): [what: WarningName, example: string][] {
  const { number, currency, totalAmount, balanceAmount = totalAmount, documentState = 'issued' } = invoice
  const isOld = isNew && !isHistory && invoice.invoiceDate < limits.old
  // For a stored invoice, a file without a balance does not know the payments.
  const hasBalance = isNew || invoice.balanceAmount !== undefined
  const isOwed = hasBalance && documentState === 'issued' && Number(balanceAmount) > 0
  const taxMismatch = taxMismatchOf(invoice)
  // The balance of a credit note is negative, like its total.
  const isCharge = !totalAmount.startsWith('-') && balanceAmount !== totalAmount
  const is: Record<Exclude<WarningName, 'alike' | 'platform'>, boolean> = {
    finer: isFiner(totalAmount, currency) || isFiner(balanceAmount, currency),
    unbalanced: !addsUp(invoice),
    negative: totalAmount.startsWith('-'),
    above: hasBalance && isCharge && new Exact(balanceAmount).gt(totalAmount),
    overpaid: hasBalance && isCharge && new Exact(balanceAmount).lt(0),
    tax: taxMismatch !== undefined,
    late: isOwed && !isHistory && invoice.dueDate < limits.overdueBefore,
    draft: documentState === 'draft',
    history: isOld,
    withdrawn: isWithdrawn(currency),
  }
  const exampleTexts = { history: invoice.invoiceDate.slice(0, 7), withdrawn: currency, tax: taxMismatch }
  const examples = exampleTexts as Record<string, string | undefined>
  return ORDER.flatMap((what) =>
    what !== 'platform' && what !== 'alike' && is[what]
      ? [[what, examples[what] ?? number] as [WarningName, string]]
      : [],
  )
}

function addsUp(invoice: NewInvoice): boolean {
  const { totalAmount, currency, lines } = invoice
  const [first, second] = lines
  // Most invoices of a million are like this.
  if (!second && first?.price === totalAmount && first.qty === '1') return true
  const currencyLines = lines.map((line) => ({ ...line, currency }))
  return itemize(invoice, currencyLines).basis !== undefined
}

/**
 * The first place of an invoice where a tax is not that of its rate, or the figures do not add up: `INV-7, lines[2]`,
 * `INV-7, taxBreakdown[0]`, `INV-7`. It is kept as its issuer has it; undefined where all fits.
 */
function taxMismatchOf(invoice: NewInvoice): string | undefined {
  const { number, currency, taxBreakdown } = invoice
  const lines = invoice.lines.map((line) => ({ ...line, currency }))
  const isStated = (value: unknown) => value !== null && value !== undefined
  const basis = lines.some((one) => isStated(one.taxAmount)) ? lineBasisOf(invoice, lines) : undefined
  const line = lines.findIndex((one) => {
    const { taxRate, taxAmount } = one
    if (!isStated(taxRate) || !isStated(taxAmount)) return false
    return !fitsRate(netOfLine(one, currency, basis).toFixed(), taxRate ?? 0, taxAmount ?? 0, { currency })
  })
  if (line >= 0) return `${number}, lines[${line}]`
  const row = taxBreakdown?.findIndex(
    ({ rate, taxableAmount, taxAmount }) =>
      rate !== null && !fitsRate(taxableAmount, rate, taxAmount, { currency, parts: lines.length }),
  )
  if (row !== undefined && row >= 0) return `${number}, taxBreakdown[${row}]`
  const sums = taxOf(invoice, lines)
  return sums && !isConsistent(sums) ? number : undefined
}

/** Platforms that the specification names: a provider that is one of them is known. */
const SUPPORTED_PLATFORMS = new Set(PLATFORMS)
/** Far more than there are. */
const MAX_PROVIDERS = 10_000

/** Wraps the platforms, and records the providers whose platform was made of their name only. */
export function notedPlatforms(platforms: Platforms): { platforms: Platforms; list(): ImportWarning[] } {
  const made = new Map<string, string>()
  const platformByProvider = new Map<string, string>()
  return {
    platforms(provider) {
      const before = platformByProvider.get(provider)
      if (before !== undefined) return before
      const platform = platforms(provider)
      if (platformByProvider.size < MAX_PROVIDERS) platformByProvider.set(provider, platform)
      if (platform === slugOf(provider) && !SUPPORTED_PLATFORMS.has(platform) && made.size < MAX_PROVIDERS)
        made.set(provider, platform)
      return platform
    },
    list() {
      const examples = [...made]
        .slice(0, MAX_EXAMPLES)
        .map(([provider, platform]) => `${provider} (${platform})`)
      return made.size === 0 ? [] : [{ what: 'platform', count: made.size, examples }]
    },
  }
}
