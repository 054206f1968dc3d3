import type { InvoiceReport, OddityName } from '#lib/imports/report/report.ts'
import { type AlignedCell, aligned, countOf } from './aligned.ts'

const ODDITIES: Record<OddityName, string> = {
  finer: 'Finer than the minor unit',
  unbalanced: 'Lines that do not add up to the total',
  negative: 'Totals below zero',
  tax: 'Tax that does not fit',
  late: 'Due more than 30 days ago, and not paid',
  draft: 'Drafts: their period still runs, and nothing is owed yet',
  history: 'New, and more than 90 days old: is --history meant?',
  platform: 'Providers that became platforms of their own',
  withdrawn: 'In a currency that is withdrawn',
}

/** What a person should look at, line by line. */
export function odditiesOf({ oddities }: InvoiceReport): string[] {
  if (oddities.length === 0) return []
  const rows = oddities.map(({ what, count, examples }): AlignedCell[] => [
    ODDITIES[what],
    { right: countOf(count) },
    `${examples.join(', ')}${examples.length < count && what !== 'history' && what !== 'withdrawn' ? ', …' : ''}`,
  ])
  return ['', ...aligned([['Worth a look', '', ''], ...rows])]
}
