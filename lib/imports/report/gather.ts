import Big from 'big.js'
import { addDays, dayOf, monthBegin } from '#lib/platform/values/days.ts'
import type { InvoiceCounts, NewInvoice } from '../schemas.ts'
import { type Group, type InvoiceReport, MAX_GROUPS, type Sum } from './report.ts'
import { limitsOf, warningList, warningsOf } from './warnings.ts'

/** Most groups in memory, far more than a bill has; a larger export is still added up per currency. */
const MAX_IN_MEMORY = 10_000

/** Sums while they are added up. */
type Sums = { invoices: number; exact: Big; invoiced: Big }

type Options = {
  /** Set per group in an import for several customers. */
  customer?: string | undefined
  isHistory: boolean
  /** A day of UTC. */
  today: string
  mostInMemory?: number
}

/** Adds up the invoices of an import while they stream, exactly and in bounded memory. */
export function gatherInvoices({ customer, isHistory, today, mostInMemory = MAX_IN_MEMORY }: Options) {
  const sums = new Map<string, Sums>()
  const groups = new Map<string, Sums & Pick<Group, 'issuer' | 'account' | 'period' | 'currency'>>()
  const warnings = warningList()
  const limits = limitsOf(today)
  let elsewhere = 0

  const groupOf = (invoice: NewInvoice) => {
    const { issuer, billingAccount: account = null, currency } = invoice
    const period = periodOf(invoice)
    const key = JSON.stringify([issuer, account, period, currency])
    const existing = groups.get(key)
    if (existing || groups.size >= mostInMemory) return existing
    const group = { issuer, account, period, currency, ...nothing() }
    groups.set(key, group)
    return group
  }

  return {
    oddities: warnings,
    /**
     * Adds an invoice, whatever its outcome.
     * @param exact the file's sum, where the invoice rounds it
     */
    addInvoice(invoice: NewInvoice, exact = invoice.totalAmount): void {
      const { currency, totalAmount } = invoice
      const sum = sums.get(currency) ?? nothing()
      sums.set(currency, sum)
      const group = groupOf(invoice)
      if (!group) elsewhere += 1
      for (const into of group ? [sum, group] : [sum]) {
        into.invoices += 1
        into.exact = into.exact.plus(exact)
        into.invoiced = into.invoiced.plus(totalAmount)
      }
    },
    /** Checks an invoice for oddities, once it is known whether the invoice is new. */
    inspect(invoice: NewInvoice, isNew: boolean): void {
      for (const [what, example] of warningsOf(invoice, { isNew, isHistory, limits }))
        warnings.add(what, example)
    },
    report(kind: InvoiceReport['kind'], counts: InvoiceCounts): InvoiceReport {
      const all = [...groups.values()].map(
        (group): Group => ({ ...(customer ? { customer } : {}), ...group, ...textsOf(group) }),
      )
      return {
        kind,
        files: [],
        leftOut: [],
        rows: 0,
        used: 0,
        invoices: [...sums.values()].reduce((count, sum) => count + sum.invoices, 0),
        counts,
        sums: [...sums].map(([currency, sum]) => ({ currency, ...textsOf(sum) })).sort(byCurrency),
        ...largest(all, elsewhere),
        oddities: warnings.list(),
      }
    },
  }
}

/** Returns the largest groups of each currency, in display order. */
function largest(groups: readonly Group[], elsewhere: number) {
  const ranks = [...Map.groupBy(groups, ({ currency }) => currency).values()].flatMap((currencyGroups) =>
    currencyGroups
      .sort((a, b) => new Big(b.invoiced).abs().cmp(new Big(a.invoiced).abs()))
      .map((group, rank) => ({ group, rank })),
  )
  // Amounts of two currencies are not compared: the largest of each are first.
  const largestGroups = ranks
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MAX_GROUPS)
    .map(({ group }) => group)
  const left = ranks.slice(MAX_GROUPS).reduce((count, { group }) => count + group.invoices, elsewhere)
  const key = ({ customer = '', issuer, account, period, currency }: Group) =>
    [customer, issuer, account ?? '', period, currency].join('\u0000')
  return { groups: largestGroups.sort((a, b) => (key(a) < key(b) ? -1 : 1)), invoicesElsewhere: left }
}

function byCurrency(a: Sum, b: Sum): number {
  return a.currency < b.currency ? -1 : 1
}

function nothing(): Sums {
  return { invoices: 0, exact: new Big(0), invoiced: new Big(0) }
}

function textsOf({ invoices, exact, invoiced }: Sums) {
  return { invoices, exact: exact.toFixed(), invoiced: invoiced.toFixed() }
}

function periodOf({ periodStart, periodEnd, invoiceDate }: NewInvoice): string {
  if (periodStart === undefined || periodEnd === undefined) return invoiceDate.slice(0, 7)
  const isMonth = periodStart.endsWith('-01') && dayOf(monthBegin(periodStart, 1)) === periodEnd
  return isMonth ? periodStart.slice(0, 7) : `${periodStart}/${addDays(periodEnd, -1)}`
}

/** Merges the reports of several customers' parts of one import. The parts are not empty. */
export function mergedReports(parts: readonly InvoiceReport[]): InvoiceReport {
  const [first, ...others] = parts
  if (!first) throw new RangeError('There is no part of the import.')
  if (others.length === 0) return first
  const warnings = warningList()
  for (const { what, count, examples } of parts.flatMap((part) => part.oddities))
    for (const [index, example] of examples.entries()) warnings.add(what, example, index === 0 ? count : 0)
  const groups = parts.flatMap((part) => part.groups)
  const elsewhere = parts.reduce((count, part) => count + part.invoicesElsewhere, 0)
  const charged = parts.flatMap((part) => part.charged ?? [])
  return {
    ...first,
    ...(charged.length > 0 ? { charged: charged.reduce(plusCounts) } : {}),
    invoices: parts.reduce((count, { invoices }) => count + invoices, 0),
    counts: parts.map(({ counts }) => counts).reduce(plusCounts),
    sums: sumsOf(parts.flatMap(({ sums }) => sums)),
    ...largest(groups, elsewhere),
    oddities: warnings.list(),
  }
}

function plusCounts<Counts extends Record<keyof Counts, number>>(one: Counts, other: Counts): Counts {
  const keys = Object.keys(one) as (keyof Counts)[]
  return Object.fromEntries(keys.map((key) => [key, one[key] + other[key]])) as Counts
}

function sumsOf(parts: readonly Sum[]): Sum[] {
  const partsByCurrency = Map.groupBy(parts, ({ currency }) => currency)
  const plus = (sums: readonly Sum[], field: 'exact' | 'invoiced') =>
    sums.reduce((total, sum) => total.plus(sum[field]), new Big(0)).toFixed()
  return [...partsByCurrency]
    .map(([currency, sums]) => ({
      currency,
      invoices: sums.reduce((count, { invoices }) => count + invoices, 0),
      exact: plus(sums, 'exact'),
      invoiced: plus(sums, 'invoiced'),
    }))
    .sort(byCurrency)
}
