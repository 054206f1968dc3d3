import type { ImportProblem } from '#lib/imports/refused.ts'

/**
 * The columns of FOCUS 1.0 to 1.3 that make an invoice, by our names. Where a column has been renamed,
 * the newest name stands first, and a row that leaves it empty is read by the next.
 */
const COLUMNS = {
  cost: ['BilledCost'],
  account: ['BillingAccountId'],
  currency: ['BillingCurrency'],
  start: ['BillingPeriodStart'],
  end: ['BillingPeriodEnd'],
  category: ['ChargeCategory'],
  issuer: ['InvoiceIssuerName'],
  // 1.3 puts ServiceProviderName and HostProviderName in the place of ProviderName.
  provider: ['ServiceProviderName', 'ProviderName', 'HostProviderName'],
  service: ['ServiceName'],
  invoiceId: ['InvoiceId'],
} as const
/** Only from 1.2 on, and only recommended. */
const OPTIONAL: readonly Field[] = ['invoiceId']

export type Field = keyof typeof COLUMNS
type Positions = Record<Field, number[]>

/** The columns that a file has. */
export type Header = {
  /** One field of a row; empty and NULL are absent. */
  read(row: readonly string[], field: Field): string | undefined
  /** The name of a field's column in this file, for messages. */
  columnOf(field: Field): string
}

/**
 * Finds the columns in a header, whose names may be in any case.
 * @returns them, or what is wrong with the header
 */
export function readHeader(header: readonly string[], line: number): Header | ImportProblem[] {
  const names = header.map((name) => name.trim().toLowerCase())
  const problems: ImportProblem[] = []
  const positions = Object.fromEntries(
    Object.entries(COLUMNS).map(([field, columns]) => [field, columns.flatMap((column) => find(column))]),
  ) as Positions
  for (const field of Object.keys(COLUMNS) as Field[])
    if (positions[field].length === 0 && !OPTIONAL.includes(field))
      problems.push({ line, column: COLUMNS[field].join(' or '), reason: 'there is no such column' })
  if (problems.length > 0) return problems
  return {
    read: (row, field) => first(row, positions[field]),
    columnOf: (field) => header[positions[field][0] ?? -1]?.trim() ?? COLUMNS[field][0],
  }

  function find(column: string): number[] {
    const wanted = column.toLowerCase()
    const at = names.indexOf(wanted)
    if (at !== names.lastIndexOf(wanted))
      problems.push({ line, column, reason: 'there are two such columns' })
    return at === -1 ? [] : [at]
  }
}

/** How many of these names, in any case, are columns that we read. */
export function knownColumns(names: readonly string[]): number {
  const ours = new Set<string>(
    Object.values(COLUMNS).flatMap((columns) => columns.map((name) => name.toLowerCase())),
  )
  return names.filter((name) => ours.has(name.trim().toLowerCase())).length
}

function first(row: readonly string[], positions: readonly number[]): string | undefined {
  for (const position of positions) {
    const value = row[position]?.trim()
    if (value && value !== 'NULL' && value !== 'null') return value
  }
  return undefined
}
