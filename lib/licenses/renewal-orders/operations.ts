import 'server-only'
import { readAsset } from '#lib/licenses/assets/store.ts'
import { errorCode } from '#lib/platform/api/error-mapper.ts'
import { operation, type RequestMeta } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import * as contract from './contract.ts'
import { found, order, versionOf, withdraw } from './ordering.ts'
import { type NamedOrder, reconcile } from './reconcile.ts'
import { END_ACTIONS } from './rules.ts'
import { serializeRenewal } from './serialize.ts'
import * as store from './store.ts'

export const readRenewal = operation(contract.readRenewal, async (caller, { params }) =>
  readScope(caller, (tx) => read(tx, caller, params.asset_id)),
)

export const orderRenewal = operation(
  contract.orderRenewal,
  async (caller, { params, body, headers }, meta) => {
    const { asset_id: assetId } = params
    const { requestId } = meta
    const { action, confirm } = body
    const renewalType = action ? END_ACTIONS[action] : (body.renewalType ?? null)
    const setting = { quantity: body.quantity ?? null, renewalType }
    const request = { caller, assetId, setting, action, confirm, ifMatch: headers?.['if-match'], requestId }
    const id = await scope(caller, async (tx) => {
      const id = await order(tx, request)
      await recordConfirmation(tx, request, meta)
      return id
    }).catch(asBusy)
    if (id !== undefined) {
      await reconcileNow(caller, { id, assetId }, requestId)
      const outcome = await readScope(caller, (tx) => store.findOrder(tx, caller.customerId, id))
      const reason = outcome?.reason ?? undefined
      if (outcome?.state === 'REJECTED') throw new Problem('vendor_rejected', reason)
      if (outcome?.state === 'LOST') throw new Problem('renewal_not_supported', reason)
    }
    return readScope(caller, (tx) => read(tx, caller, assetId))
  },
)

export const withdrawRenewal = operation(
  contract.withdrawRenewal,
  async (caller, { params, headers }, meta) => {
    const { asset_id: assetId } = params
    const { requestId } = meta
    const request = { caller, assetId, ifMatch: headers?.['if-match'], requestId }
    const id = await scope(caller, async (tx) => {
      const id = await withdraw(tx, request)
      await recordConfirmation(tx, request, meta)
      return id
    }).catch(asBusy)
    if (id !== undefined) await reconcileNow(caller, { id, assetId }, requestId)
    return readScope(caller, (tx) => read(tx, caller, assetId))
  },
)

/** Uses the confirmation of a change, if it has one. */
async function recordConfirmation(
  tx: Transaction,
  { caller, assetId }: { caller: Caller; assetId: string },
  meta: RequestMeta,
): Promise<void> {
  if (!meta.confirm) return
  const row = await readAsset(tx, caller.customerId, assetId)
  await meta.confirm(tx, row?.seatVersion ?? 0)
}

async function read(tx: Transaction, { customerId }: Caller, assetId: string) {
  const row = found(await readAsset(tx, customerId, assetId))
  const newest = await store.newestOrder(tx, customerId, assetId)
  return { body: serializeRenewal(row, newest), version: versionOf(newest) }
}

/** A row that is locked for the moment leaves the order to a job. */
async function reconcileNow(caller: Caller, named: NamedOrder, requestId: string) {
  await reconcile(caller, named, requestId).catch((error: unknown) => {
    if (errorCode(error) !== '55P03') throw error
  })
}

/** Translates errors of a race. lock_not_available: another change holds the row. unique_violation: a parallel order won. */
function asBusy(error: unknown): never {
  if (!['55P03', '23505'].includes(errorCode(error) ?? '')) throw error
  throw new Problem('change_in_progress', undefined, { headers: { 'Retry-After': '1' } })
}
