import type { ChargeCounts } from '../charges/store.ts'
import type { Imported, InvoiceCounts } from '../schemas.ts'
import type { SourceFile } from '../sources/source.ts'

/** A file with its rows or objects, without headers, and how many of them are in an invoice. */
export type FileReport = SourceFile & { rows: number; used: number }

/** Amounts of one currency as exact decimal text: as the files have them, and as the invoices say them. */
export type Sum = { currency: string; invoices: number; exact: string; invoiced: string }

/** The sum of one issuer, billing account, period and currency. */
export type Group = Sum & {
  /** Only where one import is for several customers. */
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

/** What an import of invoices did, or a dry run would do. All of it is JSON. */
export type InvoiceReport = {
  kind: 'focus' | 'invoices'
  files: FileReport[]
  /** Names of what was passed over in folders and archives. */
  leftOut: string[]
  /** Of all files. */
  rows: number
  used: number
  /** Rows of costs that became lines of invoices; absent where the files hold invoices. */
  charges?: number
  invoices: number
  counts: InvoiceCounts
  /** Of how many invoices the charges are new, the same, or others than before; absent where none are kept. */
  charged?: ChargeCounts
  sums: Sum[]
  groups: Group[]
  /** How many invoices are in none of these groups, for only the largest are told. */
  invoicesElsewhere: number
  oddities: ImportWarning[]
}

export type AssetReport = { kind: 'assets'; files: SourceFile[]; rows: number; counts: Imported }

export type ImportReport = InvoiceReport | AssetReport

/** How many groups a report keeps: the largest. */
export const MAX_GROUPS = 200
/** How many names of files it keeps. */
export const MAX_FILES = 500
/** How many examples an oddity has. */
export const MAX_EXAMPLES = 5
/** How many invoices are named that were left out: a person has to say something of each. */
export const MAX_LEFT_OUT = 200
