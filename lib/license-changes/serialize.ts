import type { ChangeRow } from './change-list.ts'
import type { LicenseChange } from './contract.ts'
import type { Change } from './license-change.ts'

export function serializeLicenseChange({
  change,
  assetName,
  type,
}: Omit<ChangeRow, 'micros'>): LicenseChange {
  const { vendorReason, settledAt } = change
  return {
    ...{ id: change.id, assetId: change.assetId, assetName, type },
    ...{ from: change.fromQuantity, to: change.toQuantity, state: change.state },
    ...(vendorReason === null ? {} : { vendorReason }),
    actor: actorOf(change),
    createTime: change.createdAt.getTime(),
    ...(settledAt === null ? {} : { settleTime: settledAt.getTime() }),
  }
}

/** Who asked for a change. */
export function actorOf({ actorKind: kind, actorId: id, actorName: name }: Change): {
  kind: string
  id: string
  name: string
} {
  return { kind, id, name }
}
