import type {
  FileReport,
  Group,
  ImportReport,
  InvoiceReport,
  Sum,
  WarningName,
} from '#lib/imports/report/report.ts'
import { formatAmount } from '#lib/platform/values/money.ts'

/** Maximum number of files, and of groups of sums, on screen. JSON has more. */
const MAX_ROWS = 30

const COUNTS: Record<string, string> = {
  added: 'new',
  unchanged: 'unchanged',
  replaced: 'written over',
  moved: 'with another balance',
  redrafted: 'drafts with another content',
  corrected: 'corrected',
  superseded: 'drafts superseded',
  voided: 'voided',
}

/** A report as people read it, line by line. */
export function reportLines(report: ImportReport, files: readonly ReportedFile[] = report.files): string[] {
  const lines = filesOf(files)
  if (report.kind === 'assets')
    return [...lines, '', ...formatColumns([['Assets', countOf(report.rows), countsOf(report.counts)]])]
  return [
    ...lines,
    ...report.leftOut.slice(0, MAX_ROWS).map((name) => `Left out: ${name}`),
    '',
    ...countLines(report),
    '',
    ...sumsOf(report.sums),
    '',
    ...groupsOf(report),
    ...warningLines(report),
  ]
}

/** A file, with its counts where it has rows. */
type ReportedFile = Omit<FileReport, 'rows' | 'used'> & Partial<FileReport>

function filesOf(files: readonly ReportedFile[]): string[] {
  const firstFiles = files.slice(0, MAX_ROWS)
  const hasRows = files.some(({ rows }) => rows !== undefined)
  const number = (count = 0) => ({ right: countOf(count) })
  const rows = firstFiles.map(({ name, bytes, rows, used }): TextCell[] => [
    name === '-' ? 'standard input' : name,
    number(bytes),
    ...(hasRows ? [number(rows), number(used)] : []),
  ])
  const more = files.length - firstFiles.length
  const header = [{ right: 'Bytes' }, ...(hasRows ? [{ right: 'Rows' }, { right: 'Used' }] : [])]
  return [
    ...formatColumns([[files.length === 1 ? 'File' : `${countOf(files.length)} files`, ...header], ...rows]),
    ...(more > 0 ? [`… and ${countOf(more)} more`] : []),
  ]
}

function countLines({ rows, used, charges, invoices, counts, charged }: InvoiceReport): string[] {
  const read = rows === used ? 'all of them used' : `${countOf(used)} of them used`
  return formatColumns([
    ...(rows === 0 ? [] : [['Rows', { right: countOf(rows) }, read]]),
    ...(charges === undefined ? [] : [['Charges', { right: countOf(charges) }, chargedOf(charged)]]),
    ['Invoices', { right: countOf(invoices) }, countsOf(counts)],
  ])
}

/** Describes for how many invoices charges are stored; a reseller's charges are not stored. */
function chargedOf(charged: InvoiceReport['charged']): string {
  const { added = 0, unchanged = 0, replaced = 0 } = charged ?? {}
  const all = added + unchanged + replaced
  return all === 0 ? '' : `kept of ${countOf(all)} invoices: ${countsOf({ ...charged })}`
}

function countsOf(counts: Record<string, number>): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0)
  return parts.map(([name, count]) => `${countOf(count)} ${COUNTS[name] ?? name}`).join(', ')
}

/** Returns the columns of sums; the exact amounts of the files get a column where they differ from the invoices. */
function amountsOf(sums: readonly Sum[]) {
  const isRounded = sums.some(
    ({ exact, invoiced }) => exact !== invoiced && Number(exact) !== Number(invoiced),
  )
  return {
    header: [
      { right: 'Invoices' },
      ...(isRounded ? [{ right: 'In the files' }] : []),
      { right: 'Invoiced' },
      '',
    ],
    cells: ({ invoices, exact, invoiced, currency }: Sum): TextCell[] => [
      { right: countOf(invoices) },
      ...(isRounded ? [{ right: formatAmount(exact, currency) }] : []),
      { right: formatAmount(invoiced, currency) },
      currency,
    ],
  }
}

function sumsOf(sums: readonly Sum[]): string[] {
  const { header, cells } = amountsOf(sums)
  return formatColumns([['In all', ...header], ...sums.map((sum) => ['', ...cells(sum)])])
}

function groupsOf({ groups, invoicesElsewhere }: InvoiceReport): string[] {
  const firstGroups = groups.slice(0, MAX_ROWS)
  const { header, cells } = amountsOf(firstGroups)
  const hasCustomers = firstGroups.some(({ customer }) => customer !== undefined)
  const keyCells = ({ customer = '', issuer, account, period }: Group) => [
    ...(hasCustomers ? [customer] : []),
    issuer,
    account ?? '-',
    period.replace('/', ' to '),
  ]
  const names = [...(hasCustomers ? ['Customer'] : []), 'Issuer', 'Account', 'Period']
  const left = groups.slice(MAX_ROWS).reduce((count, { invoices }) => count + invoices, invoicesElsewhere)
  return [
    ...formatColumns([
      [...names, ...header],
      ...firstGroups.map((group) => [...keyCells(group), ...cells(group)]),
    ]),
    ...(left > 0 ? [`… and ${countOf(left)} more invoices in smaller groups`] : []),
  ]
}

const WARNINGS: Record<WarningName, string> = {
  alike: 'Left out, for another issuer seems to have billed it',
  finer: 'Finer than the minor unit',
  unbalanced: 'Lines that do not add up to the total',
  negative: 'Totals below zero',
  above: 'A balance above the total',
  overpaid: 'Paid more than the total',
  tax: 'Tax that does not fit',
  late: 'Due more than 30 days ago, and not paid',
  draft: 'Drafts: not billed yet, and nothing is owed',
  history: 'New, and more than 90 days old: is --history meant?',
  platform: 'Providers that became platforms of their own',
  withdrawn: 'In a currency that is withdrawn',
}

/** Returns one line per warning that needs attention. */
function warningLines({ oddities }: InvoiceReport): string[] {
  if (oddities.length === 0) return []
  const rows = oddities.map(({ what, count, examples }): TextCell[] => [
    WARNINGS[what],
    { right: countOf(count) },
    what === 'alike'
      ? ''
      : `${examples.join(', ')}${examples.length < count && what !== 'history' && what !== 'withdrawn' ? ', …' : ''}`,
  ])
  // Whose names are long, and asked about: a line each.
  const leftOut = oddities.find(({ what }) => what === 'alike')?.examples ?? []
  return [
    '',
    ...formatColumns([['Worth a look', '', ''], ...rows]),
    ...leftOut.map((example) => `Left out: ${example}`),
  ]
}

/** Text that begins at the column's left, or ends at its right. */
type TextCell = string | { right: string }

/** Longest names are cut here, so that a line stays one. */
const WIDEST = 60

/** Rows as lines with their columns below one another, and two spaces between them. */
function formatColumns(rows: readonly (readonly TextCell[])[]): string[] {
  const texts = rows.map((row) => row.map((cell) => textOf(cell)))
  const widths = texts[0]?.map((_, at) => Math.max(...texts.map((row) => (row[at] ?? '').length))) ?? []
  return rows.map((row, index) =>
    row
      .map((cell, at) => {
        const text = texts[index]?.[at] ?? ''
        const width = widths[at] ?? 0
        return typeof cell === 'string' ? text.padEnd(width) : text.padStart(width)
      })
      .join('  ')
      .trimEnd(),
  )
}

function textOf(cell: TextCell): string {
  const text = typeof cell === 'string' ? cell : cell.right
  return typeof cell !== 'string' || text.length <= WIDEST ? text : `${text.slice(0, WIDEST - 1)}…`
}

/** Formats a number with separated thousands. */
function countOf(count: number): string {
  return count.toLocaleString('en')
}
