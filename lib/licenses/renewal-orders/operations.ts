import 'server-only'
import { readAsset } from '#lib/licenses/assets/store.ts'
import { operation } from '#lib/platform/api/operation.ts'
import { errorCode, Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import * as answers from './answers.ts'
import * as contract from './contract.ts'
import { found, order, versionOf, withdraw } from './ordering.ts'
import { place } from './placing/place.ts'
import { serializeRenewal } from './serialize.ts'
import * as store from './store.ts'
import { factsOf } from './terms.ts'

export const readRenewal = operation(contract.readRenewal, async (caller, { params }) =>
  readScope(caller, (tx) => read(tx, caller, params.asset_id)),
)

export const orderRenewal = operation(
  contract.orderRenewal,
  async (caller, { params, body, headers }, { requestId }) => {
    const { quantity, renewalType = '' } = body
    const asked = {
      caller,
      assetId: params.asset_id,
      wanted: quantity === undefined ? { renewalType } : { quantity },
      ifMatch: headers?.['if-match'],
      requestId,
    }
    const id = await scope(caller, (tx) => order(tx, asked)).catch(asBusy)
    if (id !== undefined) {
      const placed = await place(caller, { id, assetId: params.asset_id }, requestId).catch(leaveIt)
      if (placed?.kind === 'rejected') throw new Problem('vendor_rejected', placed.reason)
      if (placed?.kind === 'lost') throw new Problem('renewal_not_supported', placed.reason)
    }
    return readScope(caller, (tx) => read(tx, caller, params.asset_id))
  },
)

export const withdrawRenewal = operation(
  contract.withdrawRenewal,
  async (caller, { params, headers }, { requestId }) => {
    const { asset_id: assetId } = params
    const asked = { caller, assetId, ifMatch: headers?.['if-match'], requestId }
    const id = await scope(caller, (tx) => withdraw(tx, asked)).catch(asBusy)
    if (id !== undefined) await place(caller, { id, assetId }, requestId).catch(leaveIt)
    return readScope(caller, (tx) => read(tx, caller, assetId))
  },
)

async function read(tx: Transaction, { customerId }: Caller, assetId: string) {
  const row = found(await readAsset(tx, customerId, assetId))
  const newest = await store.newestOrder(tx, customerId, assetId)
  return { body: serializeRenewal(row, factsOf(row), newest, Date.now()), version: versionOf(newest) }
}

/** The order is kept, or taken back; a row that is locked for the moment keeps its vendor from being told now, and a job does it. */
function leaveIt(error: unknown): undefined {
  if (errorCode(error) !== '55P03') throw error
}

/** lock_not_available: somebody else's change holds the row. unique_violation: another order came at this moment. */
function asBusy(error: unknown): never {
  throw ['55P03', '23505'].includes(errorCode(error) ?? '') ? answers.busy() : error
}
