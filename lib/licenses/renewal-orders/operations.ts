import 'server-only'
import { readAsset } from '#lib/licenses/assets/store.ts'
import { errorCode } from '#lib/platform/api/error-mapper.ts'
import { operation, type RequestMeta } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { licenseScope, readScope } from '#lib/platform/db/scope.ts'
import * as contract from './contract.ts'
import { found, type OrderRequest, order, versionOf, withdraw } from './ordering.ts'
import { reconcile } from './reconcile.ts'
import { END_ACTIONS } from './rules.ts'
import { serializeRenewal } from './serialize.ts'
import * as store from './store.ts'

export const readRenewal = operation(contract.readRenewal, (caller, { params }) =>
  readScope(caller, (tx) => read(tx, caller, params.asset_id)),
)

export const orderRenewal = operation(contract.orderRenewal, (caller, { params, body, headers }, meta) => {
  const { action, confirm, quantity = null } = body
  const renewalType = action ? END_ACTIONS[action] : (body.renewalType ?? null)
  const requested = { setting: { quantity, renewalType }, action, confirm }
  const asset = { caller, assetId: params.asset_id, ifMatch: headers?.['if-match'] }
  return change(asset, meta, (tx, request) => order(tx, { ...request, ...requested }))
})

export const withdrawRenewal = operation(contract.withdrawRenewal, (caller, { params, headers }, meta) =>
  change({ caller, assetId: params.asset_id, ifMatch: headers?.['if-match'] }, meta, withdraw),
)

/**
 * Writes a change of the order, and then reconciles it with its vendor.
 * @throws Problem where the vendor refuses what was ordered, or another party has set a different next term there
 */
async function change(
  asset: Omit<OrderRequest, 'requestId'>,
  { requestId, confirm }: RequestMeta,
  work: (tx: Transaction, request: OrderRequest) => Promise<string | undefined>,
) {
  const { caller, assetId } = asset
  const { customerId } = caller
  const id = await licenseScope(caller, async (tx) => {
    const id = await work(tx, { ...asset, requestId })
    if (confirm) await confirm(tx, (await readAsset(tx, customerId, assetId))?.seatVersion ?? 0)
    return id
  }).catch(asBusy)
  // A row that is locked for the moment leaves the order to a job.
  if (id !== undefined)
    await reconcile(caller, { id, assetId }, requestId).catch((error: unknown) => {
      if (errorCode(error) !== '55P03') throw error
    })
  return readScope(caller, async (tx) => {
    const changed = id === undefined ? undefined : await store.findOrder(tx, customerId, id)
    if (changed && !changed.takenBackAt) {
      const reason = changed.reason ?? undefined
      if (changed.state === 'REJECTED') throw new Problem('vendor_rejected', reason)
      if (changed.state === 'LOST') throw new Problem('renewal_not_supported', reason)
    }
    return read(tx, caller, assetId)
  })
}

async function read(tx: Transaction, { customerId }: Caller, assetId: string) {
  const row = found(await readAsset(tx, customerId, assetId))
  const newest = await store.newestOrder(tx, customerId, assetId)
  return { body: serializeRenewal(row, newest), version: versionOf(newest) }
}

/** Translates errors of a race. lock_not_available: another change holds the row. unique_violation: a parallel order won. */
function asBusy(error: unknown): never {
  if (!['55P03', '23505'].includes(errorCode(error) ?? '')) throw error
  throw new Problem('change_in_progress', undefined, { headers: { 'Retry-After': '1' } })
}
