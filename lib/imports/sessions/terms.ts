import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { ChargeStream } from '../charges/spool.ts'
import type { IssuerAnswer } from '../invoices/alike.ts'
import type { Expectations } from '../report/expectations.ts'
import type { ImportWarning, InvoiceReport } from '../report/report.ts'
import type { SourceFile } from '../sources/source.ts'
import type { Entry } from './parts.ts'

/** Options of an import of invoices, from any source. */
export type SessionTerms = {
  /** Customer of the invoices that name no other. */
  customerId?: CustomerId | undefined
  /** Issued invoices that are there with another content are voided, and these come into their place. */
  correct?: boolean | undefined
  /** Answer about issuers that may be one; if absent, the import stops there. */
  answer?: IssuerAnswer | undefined
  /** Sends no reminders of new invoices. */
  isHistory?: boolean | undefined
  /** Does and reports everything, and rolls back. */
  isDryRun?: boolean | undefined
  /** Anything else is refused. */
  expected?: Expectations | undefined
  /** Called with the count so far, and the name of the counted things. */
  onProgress?: ((count: number, what?: string) => void) | undefined
  /** Stops the import; nothing of it is stored then. */
  signal?: AbortSignal | undefined
}

/** Data read, and the reader's findings after the whole input was read. */
export type Input = {
  kind: InvoiceReport['kind']
  files: readonly SourceFile[]
  entries: Iterable<Entry> | AsyncIterable<Entry>
  counts(): Pick<InvoiceReport, 'files' | 'leftOut' | 'rows' | 'used' | 'charges'>
  /** Warnings about the files as a whole. */
  warnings?: (() => ImportWarning[]) | undefined
  /** The charges of bills, by customers as the owners of entries are named; absent: there are none. */
  charges?: ChargeStream | undefined
}
