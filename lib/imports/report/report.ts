import type { ChargeCounts } from '../charges/store.ts'
import type { Imported, InvoiceCounts } from '../schemas.ts'
import type { SourceFile } from '../sources/source.ts'

/** A file with its rows or objects, without headers, and how many of them are in an invoice. */
export type FileReport = SourceFile & { rows: number; used: number }

/** Totals of one currency as exact decimal text: in the files, and on the invoices. */
export type Sum = { currency: string; invoices: number; exact: string; invoiced: string }

/** The sum of one issuer, billing account, period and currency. */
export type Group = Sum & {
  /** Only in an import for several customers. */
  customer?: string
  issuer: string
  account: string | null
  /** A month, `2026-09`, or the days from and to, `2026-09-01/2026-09-15`, the last one included. */
  period: string
}

/** Something that is allowed, and that a person should look at: of how many invoices, and some of them. */
export type ImportWarning = { what: WarningName; count: number; examples: string[] }

export type WarningName =
  | 'alike'
  | 'finer'
  | 'unbalanced'
  | 'negative'
  | 'above'
  | 'overpaid'
  | 'tax'
  | 'late'
  | 'draft'
  | 'history'
  | 'platform'
  | 'withdrawn'

/** Report of an import of invoices, or of a dry run, as JSON. */
export type InvoiceReport = {
  kind: 'focus' | 'invoices'
  files: FileReport[]
  /** Names of skipped entries of folders and archives. */
  leftOut: string[]
  /** Over all files. */
  rows: number
  used: number
  /** Rows of costs that became lines of invoices; absent where the files hold invoices. */
  charges?: number
  invoices: number
  counts: InvoiceCounts
  /** Numbers of invoices whose charges are new, unchanged or changed; absent where no charges are stored. */
  charged?: ChargeCounts
  sums: Sum[]
  groups: Group[]
  /** Number of invoices outside these groups, because only the largest groups are listed. */
  invoicesElsewhere: number
  oddities: ImportWarning[]
}

export type AssetReport = { kind: 'assets'; files: SourceFile[]; rows: number; counts: Imported }

export type ImportReport = InvoiceReport | AssetReport

/** Maximum number of groups in a report: the largest. */
export const MAX_GROUPS = 200
/** Maximum number of file names in a report. */
export const MAX_FILES = 500
/** Maximum number of examples per warning. */
export const MAX_EXAMPLES = 5
/** Maximum number of left-out invoices that are named: an operator has to decide each. */
export const MAX_LEFT_OUT = 200
