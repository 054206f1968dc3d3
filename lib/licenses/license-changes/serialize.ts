import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import type { LicenseChange } from './contract.ts'
import { isOpen } from './rules.ts'
import { type Outlook, outlookOf } from './settling/outlook.ts'
import type { NewestChange } from './store/beside-assets.ts'
import type { ChangeRow } from './store/list.ts'
import type { Change } from './store/transitions.ts'

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
    ...(isOpen(change.state) ? outlookOf(change, account) : {}),
  }
}

function acknowledgementOf(change: Change): Pick<LicenseChange, 'acknowledged'> {
  const { acknowledgedAt, acknowledgedByKind: kind, acknowledgedById: id, acknowledgedByName: name } = change
  if (acknowledgedAt === null || kind === null || id === null || name === null) return {}
  return { acknowledged: { actor: { kind, id, name }, time: acknowledgedAt.getTime() } }
}

/** An open change, as the item of its asset tells it. */
export function serializeOpenChange(
  open: Change,
  outlook: Outlook,
): NonNullable<AssetListItem['openChange']> {
  const { id, toQuantity: to, state, createdAt } = open
  return { id, to, state, actor: actorOf(open), createTime: createdAt.getTime(), ...outlook }
}

/** The newest change of an asset that is settled, as its item tells it. */
export function serializeLastChange(newest: NewestChange): NonNullable<AssetListItem['lastChange']> {
  const { id, fromQuantity: from, toQuantity: to, state, vendorReason, settledAt } = newest
  const reason = vendorReason === null ? {} : { vendorReason }
  return { id, from, to, state, ...reason, actor: actorOf(newest), settleTime: settledAt?.getTime() ?? 0 }
}

type Actor = Pick<Change, 'actorKind' | 'actorId' | 'actorName'>

/** Who asked for a change. */
function actorOf({ actorKind: kind, actorId: id, actorName: name }: Actor): LicenseChange['actor'] {
  return { kind, id, name }
}
