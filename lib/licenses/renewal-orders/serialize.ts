import { decideBy, outcomeOf } from '#lib/licenses/assets/rules.ts'
import type { LicensedRow } from '#lib/licenses/assets/store.ts'
import { epochOfDay } from '#lib/platform/values/days.ts'
import { extendedTermSettings } from '#lib/vendors/settings.ts'
import type { Renewal, RenewalOrder } from './contract.ts'
import { endActionOf, type NoOrder, type RenewalFacts, whyNoOrder } from './rules.ts'
import type { OrderRow } from './store.ts'
import { factsOf, isPlaced } from './terms.ts'

export function serializeRenewal(asset: LicensedRow, newest: OrderRow | undefined): Renewal {
  const isActive = newest?.state === 'STANDING'
  const facts = factsOf(asset, isActive ? newest : undefined)
  const { commitmentEnd } = facts
  const outcome = outcomeOf(asset.renewalType)
  const isExtensible = outcome === 'extended-term' || facts.endActions.includes('extended-term')
  return {
    ...(commitmentEnd === undefined
      ? {}
      : { time: commitmentEnd, decideBy: epochOfDay(decideBy(commitmentEnd)) }),
    quantity: asset.seatsPurchased,
    assigned: asset.seatsAssigned,
    ...(asset.renewalType && outcome ? { renewalType: asset.renewalType, outcome } : {}),
    ...(isExtensible ? extendedTermSettings() : {}),
    ...takes(facts, whyNoOrder(facts, Date.now())),
    ...(newest ? { [isActive ? 'order' : 'lastOrder']: serializeOrder(newest, asset) } : {}),
  }
}

function takes(facts: RenewalFacts, because?: NoOrder): Omit<Renewal, 'quantity' | 'assigned'> {
  const { choice, endActions } = facts
  if (because || choice === undefined) return { takes: 'nothing', because: because ?? 'not_offered' }
  const actions = endActions.length > 0 ? { actions: [...endActions] } : {}
  if (choice === 'total') return { takes: 'quantity', ...actions }
  return { takes: 'renewalType', renewalTypes: [...choice.renewalTypes], ...actions }
}

function serializeOrder(row: OrderRow, asset: LicensedRow): RenewalOrder {
  const { id, toQuantity, renewalType, state, reason, settledAt } = row
  const action = endActionOf(renewalType)
  return {
    id,
    ...(toQuantity === null ? {} : { quantity: toQuantity }),
    ...(renewalType === null ? {} : { renewalType }),
    ...(action ? { action } : {}),
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
