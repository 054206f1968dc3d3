import 'server-only'
import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import type { CustomerId } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'
import { allowImportTimes } from '#lib/db/plans.ts'
import { scopeOfMany } from '#lib/db/scope.ts'
import { importInvoices } from '../invoices/import.ts'
import { type Expectations, refuseUnexpected } from '../report/expectations.ts'
import { gatherInvoices } from '../report/gather.ts'
import { mergedReports } from '../report/merge.ts'
import type { InvoiceReport, Oddity } from '../report/report.ts'
import type { SourceFile } from '../sources/source.ts'
import { lockImports } from './lock.ts'
import { type Entry, partsOf } from './parts.ts'
import { addImport, endImport, newImportId, readToday } from './store.ts'

/** What holds for an import of invoices, wherever they come from. */
export type SessionTerms = {
  /** Whose the invoices are that name no other. */
  customerId?: CustomerId | undefined
  /** Issued invoices that are there with another content are voided, and these come into their place. */
  correct?: boolean | undefined
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
  figures(): Pick<InvoiceReport, 'files' | 'leftOut' | 'rows' | 'used' | 'charges'>
  /** What is odd of the files as a whole. */
  oddities?: (() => Oddity[]) | undefined
}

/** What an import did. */
export type Done = {
  /** Absent: it was a dry run. */
  importId?: string
  report: InvoiceReport
}

/** Takes the report of a dry run out of its transaction, which is rolled back by it. */
class DryRun extends Error {
  readonly done: Done

  constructor(done: Done) {
    super('A dry run ends here.')
    this.done = done
  }
}

/**
 * Stores what was read in one transaction, for one customer or for many: all of it or nothing. Each customer that gets
 * something has its row of the import, with its own part of the report.
 * @throws ImportRefused that lists what stands in the way
 */
export async function runSession(input: Input, terms: SessionTerms): Promise<Done> {
  const importId = newImportId()
  try {
    return await scopeOfMany(async (enter) => {
      const reports: InvoiceReport[] = []
      for await (const { customerId, entries } of partsOf(input.entries, terms.customerId)) {
        const part = { importId, customerId, entries }
        reports.push(await enter(customerId, (tx) => storePart(tx, part, input, terms)))
      }
      const report = wholeOf(mergedReports(reports), input)
      if (terms.expected) refuseUnexpected(report, terms.expected)
      terms.signal?.throwIfAborted()
      if (terms.isDryRun) throw new DryRun({ report })
      return { importId, report }
    })
  } catch (error) {
    if (error instanceof DryRun) return error.done
    throw error
  }
}

type PartOfImport = { importId: string; customerId: CustomerId; entries: AsyncIterable<Entry> }

async function storePart(
  tx: Transaction,
  { importId: id, customerId, entries }: PartOfImport,
  input: Input,
  { customerId: named, correct = false, isHistory = false, onProgress, signal }: SessionTerms,
): Promise<InvoiceReport> {
  await allowImportTimes(tx)
  await lockImports(tx, customerId, {
    signal,
    onWait: () =>
      onProgress?.(0, `invoices stored: another import for ${customerId} runs, and is waited for`),
  })
  const { kind, files } = input
  await addImport(tx, customerId, { id, kind, files })
  const requestId = randomUUID()
  // What is for one customer says nothing of the others that the files are about.
  const isOwn = named === customerId
  const gather = gatherInvoices({
    isHistory,
    today: await readToday(tx),
    ...(isOwn ? {} : { customer: customerId }),
  })
  const invoices = async function* () {
    let count = 0
    for await (const { invoice, exact } of entries) {
      gather.take(invoice, exact)
      yield invoice
      onProgress?.(++count, 'invoices stored')
    }
  }
  const counts = await importInvoices(tx, customerId, invoices(), {
    correct,
    importId: id,
    requestId,
    history: isHistory ? 'all' : 'late',
    onResult: ({ invoice, what }) => gather.look(invoice, what === 'added' || what === 'corrected'),
    ...(signal ? { signal } : {}),
  })
  const report = gather.report(kind, counts)
  const subject = isOwn ? subjectOf(files) : id
  await endImport(tx, customerId, {
    id,
    requestId,
    subject,
    report: isOwn ? wholeOf(report, input) : report,
  })
  return report
}

/** With what is told of the files, and not of a customer's part of them. */
function wholeOf(report: InvoiceReport, { figures, oddities }: Input): InvoiceReport {
  return { ...report, ...figures(), oddities: [...report.oddities, ...(oddities?.() ?? [])] }
}

/** `costs-2026-10.csv`, and how many more there are. */
export function subjectOf(files: readonly SourceFile[]): string {
  const [first, ...others] = files.map(({ name }) => (name === '-' ? 'stdin' : basename(name)))
  return others.length === 0 ? (first ?? '') : `${first} and ${others.length} more`
}
