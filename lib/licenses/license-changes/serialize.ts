import 'server-only'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import type { Account } from '#lib/vendors/accounts.ts'
import { evidentAfterMs, vendorTimes } from '#lib/vendors/settings.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import type { LicenseChange } from './contract.ts'
import { isOpen } from './rules.ts'
import type { NewestChange } from './store/asset-change-rows.ts'
import type { Change } from './store/changes.ts'
import type { ChangeRow } from './store/list.ts'

export function serializeLicenseChange({
  change,
  assetName,
  type,
  ...account
}: Omit<ChangeRow, 'micros'>): LicenseChange {
  const { vendorReason, settledAt } = change
  return {
    id: change.id,
    assetId: change.assetId,
    assetName,
    type,
    from: change.fromQuantity,
    to: change.toQuantity,
    state: change.state,
    ...(vendorReason === null ? {} : { vendorReason }),
    actor: actorOf(change),
    createTime: change.createdAt.getTime(),
    ...(settledAt === null ? {} : { settleTime: settledAt.getTime() }),
    ...acknowledgementOf(change),
    ...(isOpen(change.state) ? pendingStatusOf(change, account) : {}),
  }
}

function acknowledgementOf(change: Change): Pick<LicenseChange, 'acknowledged'> {
  const { acknowledgedAt, acknowledgedByKind: kind, acknowledgedById: id, acknowledgedByName: name } = change
  if (acknowledgedAt === null || kind === null || id === null || name === null) return {}
  return { acknowledged: { actor: { kind, id, name }, time: acknowledgedAt.getTime() } }
}

/** Serializes an open change for the item of its asset. */
export function serializeOpenChange(
  open: Change,
  pendingStatus: PendingStatus,
): NonNullable<AssetListItem['openChange']> {
  const { id, toQuantity: to, state, createdAt } = open
  return { id, to, state, actor: actorOf(open), createTime: createdAt.getTime(), ...pendingStatus }
}

/** Serializes the newest settled change of an asset for the asset's item. */
export function serializeLastChange(newest: NewestChange): NonNullable<AssetListItem['lastChange']> {
  const { id, fromQuantity: from, toQuantity: to, state, vendorReason, settledAt } = newest
  const reason = vendorReason === null ? {} : { vendorReason }
  return { id, from, to, state, ...reason, actor: actorOf(newest), settleTime: settledAt?.getTime() ?? 0 }
}

type Actor = Pick<Change, 'actorKind' | 'actorId' | 'actorName'>

/** Serializes the actor of a change. */
function actorOf({ actorKind: kind, actorId: id, actorName: name }: Actor): LicenseChange['actor'] {
  return { kind, id, name }
}

/** Forecast for an open change. */
type PendingStatus = {
  /** Time by which the change is settled if the vendor answers, in epoch milliseconds. */
  knownBy: number
  /** Whether a repeated request for the same total may resend the change now, with one effect. */
  repeatable?: true
}

type OpenChange = Pick<Change, 'state' | 'movedAt' | 'sentAt' | 'seenQuantity'>

/** Longest wait of an open change for the reconcile job, in milliseconds. */
const JOB_MS = 60_000

/** Returns the forecast for an open change of an asset, by the same times as `stateFromEvidence`. */
export function pendingStatusOf(change: OpenChange, asset: Account, now = Date.now()): PendingStatus {
  const { leaseMs, readMs, writeMs, confirmMs } = vendorTimes()
  const vendor = vendorOf(asset)
  const isTheirs = vendor.systemOfRecord === 'theirs'
  const { idempotentWrites = 0 } = isTheirs ? vendor : {}
  const movedAt = change.movedAt.getTime()
  const sentBy = change.state === 'CLAIMED' ? movedAt + leaseMs : movedAt
  const knownBy = sentBy + (isTheirs ? evidentAfterMs(vendor) : 2 * writeMs) + JOB_MS + confirmMs
  // Same decision as in `sendAgain`, whose own read may still decide otherwise.
  const isOver = change.state === 'UNKNOWN' && now - movedAt > 2 * writeMs
  const isRemembered = now - (change.sentAt?.getTime() ?? now) + readMs + writeMs < idempotentWrites
  const repeatable = isOver && isRemembered && change.seenQuantity === null
  return { knownBy, ...(repeatable ? { repeatable } : {}) }
}
