import Big from 'big.js'
import { byCurrency, largest } from './gather.ts'
import { oddityList } from './oddities.ts'
import type { InvoiceReport, Sum } from './report.ts'

/** The reports of several customers' parts of one import as one. The parts are not empty. */
export function mergedReports(parts: readonly InvoiceReport[]): InvoiceReport {
  const [first, ...others] = parts
  if (!first) throw new RangeError('There is no part of the import.')
  if (others.length === 0) return first
  const oddities = oddityList()
  for (const { what, count, examples } of parts.flatMap((part) => part.oddities))
    for (const [index, example] of examples.entries()) oddities.add(what, example, index === 0 ? count : 0)
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
    oddities: oddities.list(),
  }
}

function plusCounts<Counts extends Record<keyof Counts, number>>(one: Counts, other: Counts): Counts {
  const keys = Object.keys(one) as (keyof Counts)[]
  return Object.fromEntries(keys.map((key) => [key, one[key] + other[key]])) as Counts
}

function sumsOf(parts: readonly Sum[]): Sum[] {
  const own = Map.groupBy(parts, ({ currency }) => currency)
  const plus = (sums: readonly Sum[], field: 'exact' | 'invoiced') =>
    sums.reduce((total, sum) => total.plus(sum[field]), new Big(0)).toFixed()
  return [...own]
    .map(([currency, sums]) => ({
      currency,
      invoices: sums.reduce((count, { invoices }) => count + invoices, 0),
      exact: plus(sums, 'exact'),
      invoiced: plus(sums, 'invoiced'),
    }))
    .sort(byCurrency)
}
