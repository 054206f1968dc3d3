import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import type { CustomerId } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'
import { allowImportTimes } from '#lib/db/plans.ts'
import { scope } from '#lib/db/scope.ts'
import { OPERATOR, recordAudit } from '#lib/history/audit.ts'
import { readNow } from '#lib/license-changes/reading/read-now.ts'
import { importAssets } from './assets.ts'
import { readFocus } from './focus/focus.ts'
import type { Terms } from './focus/invoice.ts'
import { importInvoices } from './invoices/import.ts'
import { readAssets } from './json/assets.ts'
import { readInvoices } from './json/invoices.ts'
import { readText } from './read-text.ts'
import type { Imported, InvoiceCounts, NewInvoice } from './shapes.ts'

/** One import of one file (`-` is the standard input) for one customer. */
export type Run = {
  customerId: CustomerId
  file: string
  replace: boolean
  correct?: boolean
  /** Told how many rows, invoices or assets have been read; or of what else, if that is named. */
  onProgress?: ((count: number, what?: string) => void) | undefined
  /** Stops the import; nothing of it is stored then. */
  signal?: AbortSignal
}

/** So that a batch is small in memory and quick to write, whatever is in it. */
const BATCH_WEIGHT = 5000
const ASSET_WEIGHT = 20

/** Imports a FOCUS file. Nothing is written before all of it has been read. */
export function importFocusFile(run: Run, terms: Terms): Promise<InvoiceCounts> {
  const { file, onProgress, signal } = run
  return readFocus(
    readText(file, signal),
    { ...terms, ...(onProgress ? { onLine: onProgress } : {}), ...(signal ? { signal } : {}) },
    (invoices) => storedInvoices(run, invoices),
  )
}

/** Imports invoices from our own JSON. */
export function importInvoiceFile(run: Run): Promise<InvoiceCounts> {
  return storedInvoices(run, readInvoices(readText(run.file, run.signal)))
}

function storedInvoices(run: Run, invoices: Iterable<NewInvoice> | AsyncIterable<NewInvoice>) {
  const { customerId, correct = false, onProgress, signal } = run
  let count = 0
  const onResult = () => onProgress?.(++count, 'invoices stored')
  return stored(run, 'invoices.imported', (tx, requestId) =>
    importInvoices(tx, customerId, invoices, { correct, requestId, onResult, ...(signal ? { signal } : {}) }),
  )
}

/**
 * Imports assets from our own JSON, or from Google's subscriptions with this contact of the reseller. Then those whose
 * books a vendor keeps are read there, for the vendor's word counts and not the file's.
 * @returns also `unread`, where some of these are still to be read
 */
export async function importAssetFile(run: Run, reseller?: string): Promise<Imported & { unread?: number }> {
  const { customerId, file, replace, signal } = run
  const written: string[] = []
  const onVendorsBooks = (assetId: string) => written.push(assetId)
  const counts = await stored(run, 'assets.imported', (tx, requestId) =>
    inBatches(
      readAssets(readText(file, signal), reseller),
      () => ASSET_WEIGHT,
      run,
      (batch) => importAssets(tx, customerId, batch, { replace, requestId, onVendorsBooks }),
    ),
  )
  const unread = await readNow(customerId, written, randomUUID())
  return unread > 0 ? { ...counts, unread } : counts
}

/** All or nothing: one transaction, with an audit row of its own if anything was stored. */
async function stored<Counts extends Record<string, number> & { unchanged: number }>(
  { customerId, file, signal }: Run,
  action: string,
  write: (tx: Transaction, requestId: string) => Promise<Counts>,
): Promise<Counts> {
  const requestId = randomUUID()
  return scope({ customerId }, async (tx) => {
    await allowImportTimes(tx)
    const counts = await write(tx, requestId)
    signal?.throwIfAborted()
    const changed = Object.values(counts).reduce((sum, count) => sum + count, 0) - counts.unchanged
    if (changed === 0) return counts
    const subject = file === '-' ? 'stdin' : basename(file)
    await recordAudit(tx, customerId, { action, subject, actor: OPERATOR, requestId, details: counts })
    return counts
  })
}

async function inBatches<T>(
  values: Iterable<T> | AsyncIterable<T>,
  weightOf: (value: T) => number,
  { onProgress, signal }: Run,
  write: (batch: T[]) => Promise<Imported>,
): Promise<Imported> {
  const total: Imported = { added: 0, unchanged: 0, replaced: 0 }
  let batch: T[] = []
  let weight = 0
  let read = 0
  const flush = async () => {
    signal?.throwIfAborted()
    const counts = await write(batch)
    for (const key of ['added', 'unchanged', 'replaced'] as const) total[key] += counts[key]
    batch = []
    weight = 0
  }
  for await (const value of values) {
    read += 1
    onProgress?.(read)
    batch.push(value)
    weight += weightOf(value)
    if (weight >= BATCH_WEIGHT) await flush()
  }
  if (batch.length > 0) await flush()
  return total
}
