import type { LicensedRow } from '#lib/licenses/assets/store.ts'
import type { Renewal, RenewalOrder } from './contract.ts'
import { type NoOrder, type RenewalFacts, whyNoOrder } from './rules.ts'
import type { OrderRow } from './store.ts'
import { factsOf, isPlaced } from './terms.ts'

export function serializeRenewal(asset: LicensedRow, newest: OrderRow | undefined): Renewal {
  const facts = factsOf(asset)
  const isActive = newest?.state === 'STANDING'
  return {
    ...(asset.commitmentEnd ? { time: asset.commitmentEnd.getTime() } : {}),
    quantity: asset.seatsPurchased,
    assigned: asset.seatsAssigned,
    ...(asset.renewalType ? { renewalType: asset.renewalType } : {}),
    ...takes(facts, whyNoOrder(facts, Date.now())),
    ...(newest ? { [isActive ? 'order' : 'lastOrder']: serializeOrder(newest, asset) } : {}),
  }
}

function takes({ choice }: RenewalFacts, because?: NoOrder): Omit<Renewal, 'quantity' | 'assigned'> {
  if (because || choice === undefined) return { takes: 'nothing', because: because ?? 'not_offered' }
  if (choice === 'total') return { takes: 'quantity' }
  return { takes: 'renewalType', renewalTypes: [...choice.renewalTypes] }
}

function serializeOrder(row: OrderRow, asset: LicensedRow): RenewalOrder {
  const { id, toQuantity, renewalType, state, reason, settledAt } = row
  return {
    id,
    ...(toQuantity === null ? {} : { quantity: toQuantity }),
    ...(renewalType === null ? {} : { renewalType }),
    time: row.termEnd.getTime(),
    createTime: row.createdAt.getTime(),
    actor: { kind: row.actorKind, id: row.actorId, name: row.actorName },
    state,
    isPlaced: isPlaced(row, asset),
    ...(state === 'STANDING' && row.takenBackAt ? { isLeaving: true as const } : {}),
    ...(reason === null ? {} : { reason }),
    ...(settledAt ? { settleTime: settledAt.getTime() } : {}),
  }
}
