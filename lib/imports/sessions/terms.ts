import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { ChargeStream } from '../charges/spool.ts'
import type { IssuerAnswer } from '../invoices/alike.ts'
import type { Expectations } from '../report/expectations.ts'
import type { ImportWarning, InvoiceReport } from '../report/report.ts'
import type { SourceFile } from '../sources/source.ts'
import type { Entry } from './parts.ts'

/** What holds for an import of invoices, wherever they come from. */
export type SessionTerms = {
  /** Whose the invoices are that name no other. */
  customerId?: CustomerId | undefined
  /** Issued invoices that are there with another content are voided, and these come into their place. */
  correct?: boolean | undefined
  /** What is said of issuers that may be one; absent: the import stops there. */
  answer?: IssuerAnswer | undefined
  /** Nobody is reminded of what is new. */
  isHistory?: boolean | undefined
  /** Everything is done and told, and nothing of it stays. */
  isDryRun?: boolean | undefined
  /** Anything else is refused. */
  expected?: Expectations | undefined
  /** Told how many of what there are by now. */
  onProgress?: ((count: number, what?: string) => void) | undefined
  /** Stops the import; nothing of it is stored then. */
  signal?: AbortSignal | undefined
}

/** What is read, and what the reader says of it once all has been read. */
export type Input = {
  kind: InvoiceReport['kind']
  files: readonly SourceFile[]
  entries: Iterable<Entry> | AsyncIterable<Entry>
  counts(): Pick<InvoiceReport, 'files' | 'leftOut' | 'rows' | 'used' | 'charges'>
  /** What is odd of the files as a whole. */
  warnings?: (() => ImportWarning[]) | undefined
  /** The charges of bills, by customers as the owners of entries are named; absent: there are none. */
  charges?: ChargeStream | undefined
}
