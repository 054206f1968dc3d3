import type { LicensedRow } from '#lib/licenses/assets/store.ts'
import type { Renewal, RenewalOrder } from './contract.ts'
import { type NoOrder, type RenewalFacts, whyNoOrder } from './rules.ts'
import type { OrderRow } from './store.ts'

/** @param now epoch milliseconds */
export function serializeRenewal(
  asset: LicensedRow,
  facts: RenewalFacts,
  newest: OrderRow | undefined,
  now: number,
): Renewal {
  const standing = newest?.state === 'STANDING'
  return {
    ...(asset.commitmentEnd ? { time: asset.commitmentEnd.getTime() } : {}),
    quantity: asset.seatsPurchased,
    assigned: asset.seatsAssigned,
    ...(asset.renewalType ? { renewalType: asset.renewalType } : {}),
    ...takes(facts, whyNoOrder(facts, now)),
    ...(newest && standing ? { order: serializeOrder(newest) } : {}),
    ...(newest && !standing ? { lastOrder: serializeOrder(newest) } : {}),
  }
}

function takes(
  { choice }: RenewalFacts,
  because: NoOrder | undefined,
): Pick<Renewal, 'takes' | 'renewalTypes' | 'because'> {
  if (because || choice === undefined) return { takes: 'nothing', because: because ?? 'not_offered' }
  if (choice === 'total') return { takes: 'quantity' }
  return { takes: 'renewalType', renewalTypes: [...choice.renewalTypes] }
}

function serializeOrder(row: OrderRow): RenewalOrder {
  const { id, toQuantity, renewalType, state, reason, settledAt } = row
  return {
    id,
    ...(toQuantity === null ? {} : { quantity: toQuantity }),
    ...(renewalType === null ? {} : { renewalType }),
    time: row.termEnd.getTime(),
    createTime: row.createdAt.getTime(),
    actor: { kind: row.actorKind, id: row.actorId, name: row.actorName },
    state,
    isPlaced: row.placedAt !== null,
    ...(state === 'STANDING' && row.takenBackAt ? { isLeaving: true as const } : {}),
    ...(reason === null ? {} : { reason }),
    ...(settledAt ? { settleTime: settledAt.getTime() } : {}),
  }
}
