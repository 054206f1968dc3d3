import 'server-only'
import { randomUUID } from 'node:crypto'
import type { AssetRow } from '#lib/licenses/assets/store.ts'
import { assetsWithOpenChange } from '#lib/licenses/license-changes/store/changes.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { DEFAULT_ACCOUNT, hasAccount } from '#lib/vendors/accounts.ts'
import { isVendor } from '#lib/vendors/vendors.ts'
import { type AssetValues, differencesOf, lostLicenses, valuesOf } from './asset-differences.ts'
import {
  addAssets,
  findClaimed,
  overwriteAsset,
  type Replacement,
  readStored,
  vendorRefOf,
} from './asset-rows.ts'
import { ImportError, type ImportProblem, MAX_PROBLEMS } from './import-error.ts'
import type { Imported, NewAsset } from './schemas.ts'

type Options = {
  replace: boolean
  requestId?: string
  /** Called with the id of each written asset that is managed at a vendor: its values are now the file's only. */
  onVendorAsset?: (assetId: string) => void
}

// Keeps each statement far below its timeout of 3 s.
const MAX_ASSETS = 500

/**
 * Imports assets. An existing asset with the same content changes nothing. With `replace`, an existing asset with other
 * content is overwritten with an audit row; other purchased seats add a change row with its audit row, like any change
 * of seats.
 * @throws ImportError that lists the differences by field, where `replace` is not set; also for an unknown vendor, a
 * duplicate id, a subscription of another asset, and fewer licenses within a commitment's term
 */
export async function importAssets(
  tx: Transaction,
  customerId: CustomerId,
  assets: NewAsset[],
  { replace, requestId = randomUUID(), onVendorAsset }: Options,
): Promise<Imported> {
  const problems = validateAssets(assets)
  const counts: Imported = { added: 0, unchanged: 0, replaced: 0 }
  for (let at = 0; at < assets.length && problems.length < MAX_PROBLEMS; at += MAX_ASSETS) {
    const batch = assets.slice(at, at + MAX_ASSETS)
    const ids = batch.map(({ id }) => id)
    const { fresh, other } = sorted(batch, await readStored(tx, customerId, ids))
    problems.push(...other.flatMap((replacement) => objections(replacement, replace)))
    const written = [...fresh, ...other.map(({ values }) => values)]
    problems.push(...(await findClaimed(tx, customerId, written)))
    if (replace) problems.push(...(await openAmong(tx, customerId, other)))
    if (problems.length > 0) continue
    await addAssets(tx, customerId, fresh)
    for (const replacement of other) await overwriteAsset(tx, customerId, replacement, requestId)
    for (const values of written) if (vendorRefOf(values)) onVendorAsset?.(values.id)
    counts.added += fresh.length
    counts.replaced += other.length
    counts.unchanged += batch.length - fresh.length - other.length
  }
  if (problems.length > 0) throw new ImportError(problems.slice(0, MAX_PROBLEMS))
  return counts
}

/** Returns problems of assets that don't depend on stored rows. */
function validateAssets(assets: NewAsset[]): ImportProblem[] {
  const seen = new Set<string>()
  return assets.flatMap(({ id, vendor, vendorAccount }) => {
    const subject = `asset ${id}`
    const twice = seen.has(id)
    seen.add(id)
    if (twice) return [{ subject, reason: 'is given twice' }]
    if (vendor !== undefined && !isVendor(vendor))
      return [{ subject, column: 'vendor', reason: `there is no vendor named ${vendor}` }]
    if (vendorAccount === undefined || vendorAccount === DEFAULT_ACCOUNT) return []
    if (vendor !== undefined && hasAccount(vendor, vendorAccount)) return []
    const reason = vendor
      ? `there is no account of ${vendor} named ${vendorAccount}`
      : 'needs the vendor beside it'
    return [{ subject, column: 'vendorAccount', reason }]
  })
}

function sorted(batch: NewAsset[], existing: ReadonlyMap<string, AssetRow>) {
  const fresh: AssetValues[] = []
  const other: Replacement[] = []
  for (const asset of batch) {
    const stored = existing.get(asset.id)
    const values = valuesOf(asset, stored)
    const problems = stored ? differencesOf(stored, values) : []
    if (!stored) fresh.push(values)
    else if (problems.length > 0) other.push({ stored, values, problems })
  }
  return { fresh, other }
}

/**
 * Returns the assets with an open change: their vendor is about to decide the total, which a file must not overwrite.
 */
async function openAmong(tx: Transaction, customerId: CustomerId, other: Replacement[]) {
  const ids = other.map(({ stored }) => stored.id)
  const open = await assetsWithOpenChange(tx, customerId, ids)
  const reason = 'has a change of licenses that is not settled yet: try again in some minutes'
  return open.map((id) => ({ subject: `asset ${id}`, reason }))
}

function objections({ stored, values, problems }: Replacement, replace: boolean): ImportProblem[] {
  if (!replace) return problems
  const lost = lostLicenses(stored, values)
  return lost ? [lost] : []
}
