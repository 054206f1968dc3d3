import { issuerNames } from '#lib/billing/parties/issuers.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { readFocus } from './focus/focus.ts'
import type { Terms } from './focus/terms.ts'
import { readInvoices } from './json/invoices.ts'
import { notedPlatforms } from './report/warnings.ts'
import type { Entry } from './sessions/parts.ts'
import { entriesOf, readResale } from './sessions/resale.ts'
import { type Done, runSession } from './sessions/session.ts'
import type { SessionTerms } from './sessions/terms.ts'
import { fileRecords } from './sources/digests.ts'
import { withSources } from './sources/find.ts'
import { textOf } from './sources/read-text.ts'
import type { SourceFile, SourceText } from './sources/source.ts'

/** Import of invoices from files, folders and archives; `-` is the standard input. */
export type Run = SessionTerms & {
  paths: readonly string[]
  /** Base folder of relative paths. */
  folder?: string | undefined
}

/** Options for turning charges into invoices, with the paths of the operator's own files. */
export type FocusTerms = Omit<Terms, 'customer' | 'accounts' | 'prices'> & {
  /** Map of accounts to customers; the run then names no customer. */
  map?: string | undefined
  prices?: string | undefined
}

/**
 * Imports FOCUS files as one bill, in any order. Writes nothing before all of them have been read.
 * @throws ImportError that lists the errors of all files
 */
export async function importFocus(run: Run, { map, prices, ...terms }: FocusTerms): Promise<Done> {
  const { customerId: customer, onProgress, signal } = run
  const resale = await readResale({ map, prices }, run)
  const noted = notedPlatforms(terms.platforms)
  const sources: { rows: number; used: number }[] = []
  const options = {
    ...terms,
    ...resale,
    customer,
    platforms: noted.platforms,
    now: new Date(),
    ...(customer === undefined ? {} : { aliases: await aliasesOf(customer) }),
    onSource: (read: { rows: number; used: number }) => sources.push(read),
    ...(onProgress ? { onLine: onProgress } : {}),
    ...(signal ? { signal } : {}),
  }
  return withTexts(run, ({ files, leftOut, texts }) =>
    readFocus(texts(), options, (invoices, { rows, used, charges }, stream) => {
      const entries = entriesOf(invoices, resale.customers)
      const read = files.map((file, at) => ({ ...file, rows: 0, used: 0, ...sources[at] }))
      const counts = () => ({ files: read, leftOut, rows, used, charges })
      const input = {
        kind: 'focus',
        files,
        entries,
        counts,
        warnings: noted.list,
        charges: stream,
      } as const
      return runSession(input, run)
    }),
  )
}

/** Returns the operator's aliases of a customer's issuers: parts of one bill may come under two names. */
function aliasesOf(customerId: CustomerId): Promise<ReadonlyMap<string, string>> {
  return readScope({ customerId }, async (tx) => (await issuerNames(tx, customerId)).aliases())
}

/** Imports invoices from our own JSON. */
export function importInvoiceFiles(run: Run): Promise<Done> {
  return withTexts(run, ({ files, leftOut, texts }) => {
    const read = new Map<string, number>()
    const count = ({ name }: SourceText) => read.set(name, (read.get(name) ?? 0) + 1)
    const entries = async function* (): AsyncGenerator<Entry> {
      for await (const invoice of readInvoices(texts(), count)) yield { invoice }
    }
    const counts = () => {
      const fileCounts = files.map((file) => {
        const rows = read.get(files.length === 1 ? '' : file.name) ?? 0
        return { ...file, rows, used: rows }
      })
      const rows = fileCounts.reduce((sum, file) => sum + file.rows, 0)
      return { files: fileCounts, leftOut, rows, used: rows }
    }
    return runSession({ kind: 'invoices', files, entries: entries(), counts }, run)
  })
}

type Texts = { files: SourceFile[]; leftOut: string[]; texts(): AsyncGenerator<SourceText> }

/** Finds all sources and reads each once before importing the first: duplicates are refused before any write. */
function withTexts<T>(run: Run, use: (texts: Texts) => Promise<T>): Promise<T> {
  const { paths, onProgress, signal } = run
  return withSources(paths, run, async ({ sources, leftOut }) => {
    const files = await fileRecords(sources, (count) => onProgress?.(count, 'MB looked through'), signal)
    const texts = async function* () {
      for (const source of sources)
        yield { name: sources.length === 1 ? '' : source.name, text: textOf(source) }
    }
    return use({ files, leftOut, texts })
  })
}
