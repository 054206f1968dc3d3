import 'server-only'
import { randomUUID } from 'node:crypto'
import { readNow } from '#lib/licenses/license-changes/reading/read.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { allowImportTimes } from '#lib/platform/db/plans.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { importAssets } from './assets.ts'
import { readAssets } from './json/assets.ts'
import type { AssetReport } from './report/report.ts'
import { lockImports } from './sessions/lock.ts'
import { subjectOf } from './sessions/part-store.ts'
import { addImport, endImport, newImportId } from './sessions/store.ts'
import type { Imported, NewAsset } from './shapes.ts'
import { recorded } from './sources/digests.ts'
import { fileSource, textOf } from './sources/read-text.ts'

/** One import of one file of assets (`-` is the standard input) for one customer. */
export type AssetRun = {
  customerId: CustomerId
  file: string
  /** As the operator named it; absent: the same. */
  name?: string
  replace: boolean
  isDryRun?: boolean
  /** Told how many of what have been read. */
  onProgress?: ((count: number, what?: string) => void) | undefined
  /** Stops the import; nothing of it is stored then. */
  signal?: AbortSignal | undefined
}

/** `unread`: how many of these are still to be read at their vendor. */
export type AssetsDone = { importId?: string; report: AssetReport; unread: number }

const BATCH = 250

/** Takes what a dry run found out of its transaction, which is rolled back by it. */
export class DryRun extends Error {
  readonly done: AssetsDone

  constructor(done: AssetsDone) {
    super('A dry run ends here.')
    this.done = done
  }
}

/**
 * Imports assets from our own JSON, or from Google's subscriptions with this contact of the reseller, all or nothing.
 * Then those whose books a vendor keeps are read there, for the vendor's word counts and not the file's.
 */
export async function importAssetFile(run: AssetRun, reseller?: string): Promise<AssetsDone> {
  const { customerId, isDryRun = false, signal } = run
  const written: string[] = []
  const id = newImportId()
  try {
    const done = await scope({ customerId }, async (tx) => {
      await allowImportTimes(tx)
      await lockImports(tx, customerId, { signal })
      const requestId = randomUUID()
      const report = await storeAssets(tx, run, reseller, {
        requestId,
        onVendorsBooks: (each) => written.push(each),
      })
      signal?.throwIfAborted()
      if (isDryRun) throw new DryRun({ report, unread: 0 })
      await addImport(tx, customerId, { id, kind: 'assets', files: report.files })
      await endImport(tx, customerId, { id, requestId, subject: subjectOf(report.files), report })
      return { importId: id, report, unread: 0 }
    })
    return { ...done, unread: await readNow(customerId, written, randomUUID()) }
  } catch (error) {
    if (error instanceof DryRun) return error.done
    throw error
  }
}

async function storeAssets(
  tx: Transaction,
  { customerId, file, name, replace, onProgress, signal }: AssetRun,
  reseller: string | undefined,
  options: { requestId: string; onVendorsBooks: (assetId: string) => void },
): Promise<AssetReport> {
  const { source, record } = recorded(fileSource(file, signal, name))
  const counts: Imported = { added: 0, unchanged: 0, replaced: 0 }
  let rows = 0
  let batch: NewAsset[] = []
  const flush = async () => {
    signal?.throwIfAborted()
    const more = await importAssets(tx, customerId, batch, { replace, ...options })
    for (const key of ['added', 'unchanged', 'replaced'] as const) counts[key] += more[key]
    batch = []
  }
  for await (const asset of readAssets(textOf(source), reseller)) {
    onProgress?.(++rows)
    batch.push(asset)
    if (batch.length === BATCH) await flush()
  }
  if (batch.length > 0) await flush()
  return { kind: 'assets', files: [record()], rows, counts }
}
