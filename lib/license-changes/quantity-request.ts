import 'server-only'
import type { Caller } from '#lib/access/rules.ts'
import { type Claim, keepAnswer, type Outcome } from '#lib/api/idempotency.ts'
import type { Asset } from '#lib/assets/contract.ts'
import * as shapes from '#lib/assets/shapes.ts'
import { type LicensedRow, lockLicensed } from '#lib/assets/store.ts'
import type { Transaction } from '#lib/db/client.ts'
import { scope } from '#lib/db/scope.ts'
import type { GuardedVendor } from '#lib/vendors/breaker.ts'
import type { Change } from './license-change.ts'

export type QuantityRequest = {
  caller: Caller
  assetId: string
  /** The total after the change. */
  quantity: number
  requestId: string
  /** The header If-Match: the versions of which the asset must have one. */
  ifMatch: string | undefined
  idempotencyKey: string | undefined
}

/** A change whose vendor has to be asked, outside of any transaction. */
export type Claimed = {
  /** Epoch milliseconds of this process. */
  claimedAt: number
  change: Change
  row: LicensedRow
  vendor: GuardedVendor
}

/** The key of a request, for lib/api/idempotency. */
export function claimOf({ caller, assetId, quantity, requestId, idempotencyKey }: QuantityRequest) {
  if (idempotencyKey === undefined) return undefined
  const claim: Claim = { caller, key: idempotencyKey, request: ['setQuantity', assetId, quantity], requestId }
  return claim
}

/** Keeps the answer of a request that came with a key, in the transaction that settles it. */
export async function keep(tx: Transaction, request: QuantityRequest, outcome: Outcome<Asset>) {
  const claim = claimOf(request)
  if (claim) await keepAnswer(tx, claim, (asset) => shapes.Asset.parse(asset), outcome)
}

/** A transaction that begins with the asset's row: locks in one order. */
export function withAsset<T>(
  { caller, assetId }: Pick<QuantityRequest, 'caller' | 'assetId'>,
  fn: (tx: Transaction, asset: LicensedRow) => Promise<T>,
): Promise<T> {
  return scope(caller, async (tx) => fn(tx, await lockLicensed(tx, caller.customerId, assetId)))
}
