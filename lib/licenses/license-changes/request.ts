import 'server-only'
import type { Asset } from '#lib/licenses/assets/contract.ts'
import { type LicensedRow, lockLicensed } from '#lib/licenses/assets/store.ts'
import type { KeyedRequest } from '#lib/platform/api/idempotency/keys.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { log } from '#lib/platform/runtime/log.ts'
import type { GuardedVendor } from '#lib/vendors/breaker.ts'
import type { Asked } from './checks.ts'
import type { Change } from './store/transitions.ts'

/** A PATCH of a quantity. */
export type QuantityRequest = Asked & {
  caller: Caller
  assetId: string
  requestId: string
  /** Where it came with an Idempotency-Key. */
  keyed: KeyedRequest<Asset> | undefined
}

/** The change that a request claimed: its vendor has to be asked, outside of any transaction. */
export type Claim = {
  change: Change
  row: LicensedRow
  vendor: GuardedVendor
  /** Epoch milliseconds of this process. */
  claimedAt: number
}

/** A transaction that begins with the asset's row: locks in one order. */
export function withAsset<T>(
  { caller, assetId }: Pick<QuantityRequest, 'caller' | 'assetId'>,
  fn: (tx: Transaction, asset: LicensedRow) => Promise<T>,
): Promise<T> {
  return scope(caller, async (tx) => fn(tx, await lockLicensed(tx, caller.customerId, assetId)))
}

/** The vendor's words and our own troubles are for operators; the change's row tells people what they need. */
export function note({ requestId }: QuantityRequest, { change, vendor }: Claim, reason: string): void {
  const { name, account } = vendor
  log().warn({ requestId, changeId: change.id, vendor: name, account, reason }, 'vendor')
}
