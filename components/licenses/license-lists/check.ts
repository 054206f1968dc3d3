import { toQuantityState } from '#components/licenses/assets/labels.ts'
import { newKey } from '#components/licenses/license-changes/use-quantity-change.ts'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import type { QuantityState } from '#lib/licenses/assets/quantity-rule.ts'
import { listAssets, setQuantity } from '#lib/licenses/client.ts'
import { mapWithConcurrency, patiently } from '#lib/licenses/license-lists/carry-out.ts'
import { checkTarget, outcomeOf } from '#lib/licenses/license-lists/check.ts'
import type { TargetList } from '#lib/licenses/license-lists/targets.ts'
import { type LicenseList, type ListRow, rowsIn } from './list.ts'
import type { ListKeeper } from './list-keeper.ts'
import { reasonOf } from './messages.ts'

/** Returns an unchecked list: each row has its idempotency key. */
export function newList({ targets, skipped }: TargetList): LicenseList {
  const rows = targets.map((target): ListRow => {
    const type = target.assetId.split('-', 2).join('-')
    return { ...target, type, name: '', assigned: 0, key: newKey(), state: 'waiting', reason: '' }
  })
  return { id: newKey(), madeAt: Date.now(), skipped, confirmed: false, rows }
}

/** Checks each unchecked row with a dry run. Changes no licenses. */
export async function checkList(keeper: ListKeeper, signal: AbortSignal): Promise<void> {
  const list = keeper.state().list
  if (!list) return
  const rows = rowsIn(list, 'waiting', 'unchecked')
  for (const { assetId } of rows) keeper.row(assetId, { state: 'waiting', reason: '' })
  const firstPage = () => listAssets({ query: { view: 'full', maxResults: PAGE_SIZE } }, signal)
  const first = await patiently(firstPage, signal).catch((error) => error as Error)
  const check = async (row: ListRow) => {
    keeper.row(row.assetId, { state: 'checking' })
    const values = await checkRow(row, first, signal)
    if (!values) keeper.stop(true)
    keeper.row(row.assetId, values && !signal.aborted ? values : STOPPED)
  }
  await mapWithConcurrency(rows, check, signal)
  const left = keeper.state().list
  for (const { assetId } of left ? rowsIn(left, 'waiting') : []) keeper.row(assetId, STOPPED)
}

const STOPPED = { state: 'unchecked', reason: 'The check was stopped.' } as const

/** Largest page size of the API. */
const PAGE_SIZE = 250

type Listed = Awaited<ReturnType<typeof listAssets>>

/** Returns the row's values after the check; undefined where the member has lost the permission. */
async function checkRow(
  row: ListRow,
  first: Listed | Error,
  signal: AbortSignal,
): Promise<Partial<ListRow> | undefined> {
  try {
    const item = await findAsset(row.assetId, first, signal)
    if (!item) return { state: 'refused', reason: 'No asset has this ID.' }
    const subscription = item.properties?.subscription
    const quantityState = subscription ? toQuantityState(subscription) : undefined
    const dry = await checkTarget(row.quantity, { quantityState, etag: item.etag }, (etag) =>
      dryRun(row, etag, signal),
    )
    const { check: state, error, ...snapshot } = dry
    if (error !== undefined && outcomeOf(error, row.quantity) === 'stopped') return undefined
    const assigned = subscription?.Seats.LicensedNumberOfSeats ?? 0
    const result = {
      ...snapshot,
      name: item.assetName,
      type: item.type,
      assigned,
      state,
      item: at(item, snapshot.quantityState),
    }
    return {
      ...result,
      reason: error === undefined ? '' : reasonOf(error, { ...row, ...result }, Date.now()),
    }
  } catch (error) {
    if (outcomeOf(error, row.quantity) === 'stopped') return undefined
    return { state: 'unchecked', reason: reasonOf(error, row, Date.now()) }
  }
}

/** Returns the asset with the checked total, which may be newer than the list's. */
function at(item: AssetListItem, quantityState: QuantityState | undefined): AssetListItem {
  const { properties } = item
  if (!properties?.subscription || !quantityState) return item
  const { Seats } = properties.subscription
  const subscription = {
    ...properties.subscription,
    Seats: { ...Seats, NumberOfSeats: quantityState.purchased },
  }
  return { ...item, properties: { ...properties, subscription } }
}

/** Finds the asset on the first page of all assets, or by a separate search. */
async function findAsset(
  id: string,
  first: Listed | Error,
  signal: AbortSignal,
): Promise<AssetListItem | undefined> {
  if (first instanceof Error) throw first
  const isIt = (item: AssetListItem) => item.id === id
  const item = first.assets.find(isIt)
  if (item || !first.pageToken) return item
  // A short id is a substring of many others: search all pages.
  let pageToken: string | undefined
  do {
    const query = { search: id.slice(0, 200), view: 'full' as const, maxResults: PAGE_SIZE, pageToken }
    const page: Listed = await patiently(() => listAssets({ query }, signal), signal)
    const match = page.assets.find(isIt)
    if (match) return match
    pageToken = page.pageToken
  } while (pageToken)
  return undefined
}

function dryRun({ assetId, quantity }: ListRow, etag: string | undefined, signal: AbortSignal) {
  const headers = etag === undefined ? {} : { 'if-match': etag }
  const input = {
    params: { asset_id: assetId },
    query: { dryRun: 'true' as const },
    body: { quantity },
    headers,
  }
  const request = () => setQuantity(input, AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]))
  return patiently(request, signal)
}

/** Timeout in milliseconds, longer than the service itself takes at most. */
export const REQUEST_TIMEOUT_MS = 30_000
