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
import { importInvoices } from './invoices.ts'
import { readAssets } from './json/assets.ts'
import { readInvoices } from './json/invoices.ts'
import { ImportRefused } from './refused.ts'
import type { Imported, NewInvoice } from './shapes.ts'
import { readText } from './sources/read-text.ts'

/** One import of one file (`-` is the standard input) for one customer. */
export type Run = {
  customerId: CustomerId
  file: string
  replace: boolean
  /** Told how many rows, invoices or assets have been read; or of what else, if that is named. */
  onProgress?: ((count: number, what?: string) => void) | undefined
  /** Stops the import; nothing of it is stored then. */
  signal?: AbortSignal
}

/** So that a batch is small in memory and quick to write, whatever is in it. */
const BATCH_WEIGHT = 5000
const ASSET_WEIGHT = 20

/** Imports a FOCUS file. Nothing is written before all of it has been read. */
export function importFocusFile(run: Run, terms: Terms): Promise<Imported> {
  const { customerId, file, onProgress, replace, signal } = run
  return readFocus(
    readText(file, signal),
    { ...terms, ...(onProgress ? { onLine: onProgress } : {}), ...(signal ? { signal } : {}) },
    (invoices) =>
      stored(run, 'invoices.imported', (tx, requestId) =>
        inBatches(
          eachOnce(invoices),
          ({ lines }) => 10 + lines.length,
          { ...run, onProgress: (count) => onProgress?.(count, 'invoices stored') },
          (batch) => importInvoices(tx, customerId, batch, { replace, requestId }),
        ),
      ),
  )
}

/** @throws ImportRefused at an id that comes again: a later batch would take it for one that is stored */
function* eachOnce(invoices: Iterable<NewInvoice>): Generator<NewInvoice> {
  const seen = new Set<string>()
  for (const invoice of invoices) {
    const { id } = invoice
    if (seen.has(id)) throw new ImportRefused([{ subject: `invoice ${id}`, reason: 'is given twice' }])
    seen.add(id)
    yield invoice
  }
}

/** Imports invoices from our own JSON. */
export function importInvoiceFile(run: Run): Promise<Imported> {
  const { customerId, file, replace, signal } = run
  return stored(run, 'invoices.imported', (tx, requestId) =>
    inBatches(
      readInvoices(readText(file, signal)),
      ({ lines }) => 10 + lines.length,
      run,
      (batch) => importInvoices(tx, customerId, batch, { replace, requestId }),
    ),
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
async function stored(
  { customerId, file, signal }: Run,
  action: string,
  write: (tx: Transaction, requestId: string) => Promise<Imported>,
): Promise<Imported> {
  const requestId = randomUUID()
  return scope({ customerId }, async (tx) => {
    await allowImportTimes(tx)
    const counts = await write(tx, requestId)
    signal?.throwIfAborted()
    if (counts.added + counts.replaced === 0) return counts
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
