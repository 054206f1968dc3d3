import { type ImportProblem, missingColumns } from '#lib/imports/import-error.ts'

// FOCUS columns that make an invoice, by our field names. For a renamed column, the newest name comes first, and a row
// that leaves it empty is read by the next.

const BOTH = {
  cost: ['BilledCost'],
  account: ['BillingAccountId'],
  currency: ['BillingCurrency'],
  start: ['BillingPeriodStart'],
  end: ['BillingPeriodEnd'],
  category: ['ChargeCategory'],
  issuer: ['InvoiceIssuerName'],
  // Of charges only from 1.2 on, and only recommended.
  invoiceId: ['InvoiceId'],
}
const NONE = {
  subAccount: [] as string[],
  sku: [] as string[],
  quantity: [] as string[],
  status: [] as string[],
  issueDate: [] as string[],
  dueDate: [] as string[],
  reference: [] as string[],
  detail: [] as string[],
  chargeStart: [] as string[],
  chargeEnd: [] as string[],
  unit: [] as string[],
  terms: [] as string[],
  order: [] as string[],
  line: [] as string[],
  class: [] as string[],
  description: [] as string[],
  tags: [] as string[],
  grain: [] as string[],
  paymentCurrency: [] as string[],
  paymentAmount: [] as string[],
}
/** Columns of a Cost and Usage file, FOCUS 1.0 to 1.4. */
const CHARGES = {
  ...NONE,
  ...BOTH,
  // 1.3 puts ServiceProviderName and HostProviderName in the place of ProviderName.
  provider: ['ServiceProviderName', 'ProviderName', 'HostProviderName'],
  service: ['ServiceName'],
  subAccount: ['SubAccountId'],
  sku: ['SkuId'],
  quantity: ['PricingQuantity', 'ConsumedQuantity'],
  unit: ['PricingUnit', 'ConsumedUnit'],
  chargeStart: ['ChargePeriodStart'],
  chargeEnd: ['ChargePeriodEnd'],
  // The line of an invoice to which a charge leads, from 1.4 on.
  line: ['InvoiceDetailId'],
  class: ['ChargeClass'],
  description: ['ChargeDescription'],
  tags: ['Tags'],
}
/** Columns of an Invoice Detail file, FOCUS 1.4. The file has no provider column, so the issuer is used. */
const DETAILS: typeof CHARGES = {
  ...NONE,
  ...BOTH,
  provider: BOTH.issuer,
  service: ['InvoiceDetailDescription'],
  status: ['InvoiceIssueStatus'],
  issueDate: ['InvoiceIssueDate'],
  dueDate: ['PaymentDueDate'],
  reference: ['ReferenceInvoiceId'],
  detail: ['InvoiceDetailId'],
  terms: ['PaymentTerms'],
  order: ['PurchaseOrderNumber'],
  grain: ['InvoiceDetailGrain'],
  paymentCurrency: ['PaymentCurrency'],
  paymentAmount: ['PaymentCurrencyBilledCost'],
}

export type Field = keyof typeof CHARGES
/** Which of the two a file is: charges, or the lines of invoices. */
export type Dataset = 'charges' | 'details'

const REQUIRED: Record<Dataset, readonly Field[]> = {
  charges: ['cost', 'account', 'currency', 'start', 'end', 'category', 'issuer', 'provider', 'service'],
  details: ['cost', 'account', 'currency', 'start', 'end', 'category', 'issuer', 'service', 'status'],
}

/** The columns that a file has. */
export type Header = {
  dataset: Dataset
  /** Returns whether the file has a column for this field. */
  has(field: Field): boolean
  /** Reads one field of a row; empty and NULL are absent. */
  read(row: readonly string[], field: Field): string | undefined
  /** Reads any column by its name, in any case; undefined also if the column is missing. */
  readColumn(row: readonly string[], column: string): string | undefined
  /** Returns one key for several fields of a row: rows that are equal in all of them have the same key. */
  keyOf(row: readonly string[], fields: readonly Field[]): string
  /** The name of a field's column in this file, for messages. */
  columnOf(field: Field): string
}

/**
 * Finds the columns in a header, whose names may be in any case. A file with InvoiceIssueStatus has invoice details.
 * @returns the columns, or the problem with the header
 */
export function readHeader(header: readonly string[], line: number): Header | ImportProblem[] {
  const names = header.map((name) => name.trim().toLowerCase())
  const dataset = names.includes('invoiceissuestatus') ? 'details' : 'charges'
  const columns: Record<Field, readonly string[]> = dataset === 'details' ? DETAILS : CHARGES
  const fields = Object.keys(columns) as Field[]
  const problems: ImportProblem[] = []
  const positions = Object.fromEntries(
    fields.map((field) => [field, columns[field].flatMap((column) => find(column))]),
  ) as Record<Field, number[]>
  const missing = fields.filter((field) => positions[field].length === 0 && REQUIRED[dataset].includes(field))
  const missingNames = missing.map((field) => columns[field].join(' or '))
  problems.push(...missingColumns(line, missingNames))
  if (problems.length > 0) return problems
  const others = new Map<string, number[]>()
  return {
    dataset,
    has: (field) => positions[field].length > 0,
    read: (row, field) => first(row, positions[field]),
    readColumn(row, column) {
      if (!others.has(column)) others.set(column, [names.indexOf(column.toLowerCase())])
      return first(row, others.get(column) ?? [])
    },
    keyOf: (row, fields) => fields.map((field) => first(row, positions[field]) ?? '').join('\u0000'),
    columnOf: (field) => header[positions[field][0] ?? -1]?.trim() ?? columns[field][0] ?? field,
  }

  function find(column: string): number[] {
    const lowered = column.toLowerCase()
    const at = names.indexOf(lowered)
    const isReported = problems.some((problem) => problem.column === column)
    if (at !== names.lastIndexOf(lowered) && !isReported)
      problems.push({ line, column, reason: 'there are two such columns' })
    return at === -1 ? [] : [at]
  }
}

/** Returns how many of these names, in any case, are columns that we read. */
export function countFocusColumns(names: readonly string[]): number {
  const columns = [...Object.values(CHARGES), ...Object.values(DETAILS)].flat()
  const ours = new Set(columns.map((name: string) => name.toLowerCase()))
  return names.filter((name) => ours.has(name.trim().toLowerCase())).length
}

function first(row: readonly string[], positions: readonly number[]): string | undefined {
  for (const position of positions) {
    const value = row[position]?.trim()
    if (value && value !== 'NULL' && value !== 'null') return value
  }
  return undefined
}
