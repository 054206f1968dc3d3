import { readFocus } from './focus/focus.ts'
import type { Terms as FocusTerms } from './focus/invoice.ts'
import { readInvoices } from './json/invoices.ts'
import { notedPlatforms } from './report/platforms.ts'
import type { Entry } from './sessions/parts.ts'
import { type Done, runSession, type Terms } from './sessions/session.ts'
import { fileRecords } from './sources/digests.ts'
import { withSources } from './sources/find.ts'
import { textOf } from './sources/read-text.ts'
import type { SourceFile, SourceText } from './sources/source.ts'

/** One import of invoices: of files, folders and archives; `-` is the standard input. */
export type Run = Terms & {
  paths: readonly string[]
  /** The folder from which relative paths lead on. */
  folder?: string | undefined
}

/** Imports FOCUS files as one bill, whatever their order. Nothing is written before all of them have been read. */
export function importFocus(run: Run, terms: FocusTerms): Promise<Done> {
  return withTexts(run, ({ files, leftOut, texts }) => {
    const { onProgress, signal } = run
    const noted = notedPlatforms(terms.platforms)
    const options = {
      ...terms,
      platforms: noted.platforms,
      ...(onProgress ? { onLine: onProgress } : {}),
      ...(signal ? { signal } : {}),
    }
    return readFocus(texts(), options, (entries, { rows, used, charges }) => {
      const figures = () => ({ files: [...files], leftOut, rows, used, charges })
      return runSession({ kind: 'focus', files, entries, figures, oddities: noted.list }, run)
    })
  })
}

/** Imports invoices from our own JSON. */
export function importInvoiceFiles(run: Run): Promise<Done> {
  return withTexts(run, ({ files, leftOut, texts }) => {
    const read = new Map<string, number>()
    const count = ({ name }: SourceText) => read.set(name, (read.get(name) ?? 0) + 1)
    const entries = async function* (): AsyncGenerator<Entry> {
      for await (const invoice of readInvoices(texts(), count)) yield { invoice }
    }
    const figures = () => {
      const rows = [...read.values()].reduce((sum, some) => sum + some, 0)
      return { files: [...files], leftOut, rows, used: rows }
    }
    return runSession({ kind: 'invoices', files, entries: entries(), figures }, run)
  })
}

type Texts = { files: SourceFile[]; leftOut: string[]; texts(): AsyncGenerator<SourceText> }

/** Finds all sources and reads each once before the first is imported: what is there twice is refused at once. */
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
