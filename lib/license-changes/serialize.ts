import type { AssetListItem } from '#lib/assets/contract.ts'
import type { LicenseChange } from './contract.ts'
import type { ChangeRow } from './store/list.ts'
import type { Change } from './store/transitions.ts'

export function serializeLicenseChange({
  change,
  assetName,
  type,
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
  }
}

function acknowledgementOf(change: Change): Pick<LicenseChange, 'acknowledged'> {
  const { acknowledgedAt, acknowledgedByKind: kind, acknowledgedById: id, acknowledgedByName: name } = change
  if (acknowledgedAt === null || kind === null || id === null || name === null) return {}
  return { acknowledged: { actor: { kind, id, name }, time: acknowledgedAt.getTime() } }
}

/** An open change, as the item of its asset tells it. */
export function serializeOpenChange(open: Change): NonNullable<AssetListItem['openChange']> {
  const { id, toQuantity: to, state, createdAt } = open
  return { id, to, state, actor: actorOf(open), createTime: createdAt.getTime() }
}

/** Who asked for a change. */
function actorOf({ actorKind: kind, actorId: id, actorName: name }: Change): LicenseChange['actor'] {
  return { kind, id, name }
}
