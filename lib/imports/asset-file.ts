import 'server-only'
import { randomUUID } from 'node:crypto'
import { readNow } from '#lib/licenses/license-changes/vendor-sync/read.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { listCustomers } from '#lib/platform/caller/store.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { allowImportTimes } from '#lib/platform/db/plans.ts'
import { scope, scopeOfMany } from '#lib/platform/db/scope.ts'
import { importAssets } from './assets.ts'
import { ImportError, MAX_PROBLEMS } from './import-error.ts'
import { readAssets } from './json/assets.ts'
import type { AssetReport } from './report/report.ts'
import type { Imported, NewAsset } from './schemas.ts'
import { lockImports } from './sessions/lock.ts'
import { subjectOf } from './sessions/part-store.ts'
import { addImport, endImport, newImportId } from './sessions/store.ts'
import { recorded } from './sources/digests.ts'
import { fileSource, textOf } from './sources/read-text.ts'
import type { SourceFile } from './sources/source.ts'
import { quoted } from './value-errors.ts'

/** Import of a file of assets (`-` is the standard input) for one customer. */
type AssetRun = {
  customerId: CustomerId
  file: string
  /** Name used by the operator; defaults to the same. */
  name?: string
  replace: boolean
  isDryRun?: boolean
  /** Called with the number of items read, and their name. */
  onProgress?: ((count: number, what?: string) => void) | undefined
  /** Stops the import without storing anything. */
  signal?: AbortSignal | undefined
}

/** `unread`: number of these assets still to be read at their vendor. */
type AssetsDone = { importId?: string; report: AssetReport; unread: number }

const BATCH = 250

/** Carries the result of a dry run out of its transaction, which the exception rolls back. */
class DryRun extends Error {
  readonly done: AssetsDone

  constructor(done: AssetsDone) {
    super('A dry run ends here.')
    this.done = done
  }
}

/**
 * Imports assets from our own JSON, or from Google's subscriptions with this contact of the reseller, all or nothing.
 * Then reads assets managed at a vendor, whose values override the file's.
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
        onVendorAsset: (each) => written.push(each),
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
  options: { requestId: string; onVendorAsset: (assetId: string) => void },
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

type Many = Omit<AssetRun, 'customerId'>
type Written = { customerId: CustomerId; id: string }

/**
 * Like `importAssetFile`, but for many customers: each asset belongs to the customer with its domain. Holds the whole
 * file in memory, and stores all of it or nothing.
 * @throws ImportError also where no customer has a domain
 */
export async function importAssetsOfMany(run: Many, reseller?: string): Promise<AssetsDone> {
  const { isDryRun = false, signal } = run
  const { source, record } = recorded(fileSource(run.file, signal, run.name))
  const assets: NewAsset[] = []
  for await (const asset of readAssets(textOf(source), reseller)) {
    assets.push(asset)
    run.onProgress?.(assets.length)
  }
  const files = [record()]
  const assetsByCustomer = await ownersOf(assets)
  const importId = newImportId()
  const written: Written[] = []
  try {
    const report = await scopeOfMany(async (enter) => {
      const total: Imported = { added: 0, unchanged: 0, replaced: 0 }
      for (const [customerId, customerAssets] of assetsByCustomer) {
        signal?.throwIfAborted()
        const part = { customerId, newAssets: customerAssets, importId, files, run, written }
        const counts = await enter(customerId, (tx) => storePart(tx, part)).catch(inPartOf(customerId))
        for (const key of ['added', 'unchanged', 'replaced'] as const) total[key] += counts[key]
      }
      const whole: AssetReport = { kind: 'assets', files, rows: assets.length, counts: total }
      if (isDryRun) throw new DryRun({ report: whole, unread: 0 })
      return whole
    })
    let unread = 0
    for (const [customerId, customerAssets] of Map.groupBy(written, (one) => one.customerId))
      unread += await readNow(
        customerId,
        customerAssets.map(({ id }) => id),
        randomUUID(),
      )
    return { importId, report, unread }
  } catch (error) {
    if (error instanceof DryRun) return error.done
    throw error
  }
}

/** Returns the assets by customer, in the order of customer ids, which is the lock order. */
async function ownersOf(assets: readonly NewAsset[]): Promise<[CustomerId, NewAsset[]][]> {
  const customers = new Map((await listCustomers()).map(({ domain, customerId }) => [domain, customerId]))
  const byDomain = Map.groupBy(assets, ({ customerDomain }) => customerDomain.toLowerCase())
  const unknown = [...byDomain].filter(([domain]) => !customers.has(domain)).slice(0, MAX_PROBLEMS)
  if (unknown.length > 0)
    throw new ImportError(
      unknown.map(([domain, domainAssets]) => ({
        subject: `asset ${domainAssets[0]?.id}`,
        column: 'customerDomain',
        reason: `no customer has the domain ${quoted(domain)}`,
      })),
    )
  const entries = [...byDomain].flatMap(([domain, domainAssets]): [CustomerId, NewAsset[]][] => {
    const customerId = customers.get(domain)
    return customerId === undefined ? [] : [[customerId, domainAssets]]
  })
  return entries.sort(([a], [b]) => (a < b ? -1 : 1))
}

type Part = {
  customerId: CustomerId
  newAssets: NewAsset[]
  importId: string
  files: SourceFile[]
  run: Many
  written: Written[]
}

async function storePart(
  tx: Parameters<typeof importAssets>[0],
  { customerId, newAssets, importId: id, files, run, written }: Part,
): Promise<Imported> {
  await allowImportTimes(tx)
  await lockImports(tx, customerId, { signal: run.signal })
  const requestId = randomUUID()
  const counts = await importAssets(tx, customerId, newAssets, {
    replace: run.replace,
    requestId,
    onVendorAsset: (assetId) => written.push({ customerId, id: assetId }),
  })
  const report: AssetReport = { kind: 'assets', files, rows: newAssets.length, counts }
  await addImport(tx, customerId, { id, kind: 'assets', files })
  await endImport(tx, customerId, { id, requestId, subject: subjectOf(files), report })
  return counts
}

/** Returns a wrapper that adds the customer to the errors of its part. */
function inPartOf(customer: CustomerId) {
  return (error: unknown): never => {
    if (!(error instanceof ImportError)) throw error
    throw new ImportError(error.problems.map((problem) => ({ customer, ...problem })))
  }
}
