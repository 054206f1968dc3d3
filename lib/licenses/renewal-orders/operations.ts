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

export const readRenewal = operation(contract.readRenewal, async (caller, { params }) =>
  readScope(caller, (tx) => read(tx, caller, params.asset_id)),
)

export const orderRenewal = operation(
  contract.orderRenewal,
  async (caller, { params, body, headers }, meta) => {
    const { action, confirm } = body
    const renewalType = action ? END_ACTIONS[action] : (body.renewalType ?? null)
    const requested = { setting: { quantity: body.quantity ?? null, renewalType }, action, confirm }
    const request = requestOf(caller, params, headers, meta)
    const id = await change(request, meta, (tx) => order(tx, { ...request, ...requested }))
    const outcome = id && (await readScope(caller, (tx) => store.findOrder(tx, caller.customerId, id)))
    if (outcome) {
      const reason = outcome.reason ?? undefined
      if (outcome.state === 'REJECTED') throw new Problem('vendor_rejected', reason)
      if (outcome.state === 'LOST') throw new Problem('renewal_not_supported', reason)
    }
    return readScope(caller, (tx) => read(tx, caller, params.asset_id))
  },
)

export const withdrawRenewal = operation(
  contract.withdrawRenewal,
  async (caller, { params, headers }, meta) => {
    const request = requestOf(caller, params, headers, meta)
    await change(request, meta, (tx) => withdraw(tx, request))
    return readScope(caller, (tx) => read(tx, caller, params.asset_id))
  },
)

function requestOf(
  caller: Caller,
  { asset_id: assetId }: { asset_id: string },
  headers: { 'if-match'?: string | undefined } | undefined,
  { requestId }: RequestMeta,
): OrderRequest {
  return { caller, assetId, ifMatch: headers?.['if-match'], requestId }
}

/** Writes a change of the order, and then reconciles it with its vendor. */
async function change(
  { caller, assetId, requestId }: OrderRequest,
  meta: RequestMeta,
  work: (tx: Transaction) => Promise<string | undefined>,
): Promise<string | undefined> {
  const id = await licenseScope(caller, async (tx) => {
    const id = await work(tx)
    if (meta.confirm) {
      const row = await readAsset(tx, caller.customerId, assetId)
      await meta.confirm(tx, row?.seatVersion ?? 0)
    }
    return id
  }).catch(asBusy)
  // A row that is locked for the moment leaves the order to a job.
  if (id !== undefined)
    await reconcile(caller, { id, assetId }, requestId).catch((error: unknown) => {
      if (errorCode(error) !== '55P03') throw error
    })
  return id
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
