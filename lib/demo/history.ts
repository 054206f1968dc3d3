import { randomUUID } from 'node:crypto'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { seatReadings } from '#lib/platform/db/schema/assets.ts'
import { licenseChanges } from '#lib/platform/db/schema/license-changes.ts'
import { type Actor, type AuditEvent, recordAudit } from '#lib/platform/history/audit.ts'
import { addDays } from '#lib/platform/values/days.ts'
import { addMonths, timeOn } from './calendar.ts'
import type { Purchase } from './purchase.ts'
import { randomFrom } from './random.ts'

/**
 * Inserts the changes that led to the present seats, each with its audit row, and seat readings of the last year, as
 * the console would have written them on their day.
 * @param today as `YYYY-MM-DD`
 * @param memberIds ids of the actors, by name
 */
export async function addHistory(
  tx: Transaction,
  customerId: CustomerId,
  {
    purchases,
    today,
    memberIds,
  }: { purchases: Purchase[]; today: string; memberIds: ReadonlyMap<string, string> },
): Promise<void> {
  const changes = purchases.flatMap((purchase) => changesOf(customerId, purchase, memberIds))
  const samples = purchases.flatMap((purchase) => {
    const assetChanges = changes.filter(
      ({ assetId, state }) => assetId === purchase.id && state === 'APPLIED',
    )
    const moves = assetChanges.map(({ createdAt: at, toQuantity: to }) => ({ at, to }))
    return samplesOf(purchase, moves, today).map((sample) => ({
      customerId,
      assetId: purchase.id,
      ...sample,
    }))
  })
  if (samples.length > 0) await tx.insert(seatReadings).values(samples)
  if (changes.length === 0) return
  // The history is in the order of time.
  changes.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
  await tx.insert(licenseChanges).values(changes)
  for (const change of changes) await recordAudit(tx, customerId, auditOf(change))
}

function changesOf(customerId: CustomerId, purchase: Purchase, memberIds: ReadonlyMap<string, string>) {
  const { id: assetId, seats, changes = [] } = purchase
  const random = randomFrom(`changes ${assetId}`)
  let quantity = seats.first
  return changes.flatMap(({ on, to, by, refused }) => {
    const from = quantity
    if (!refused) quantity = to
    if (from === to) return []
    const createdAt = timeOn(on, random.int(7, 16), random.int(0, 59))
    return [
      {
        customerId,
        id: randomUUID(),
        assetId,
        fromQuantity: from,
        toQuantity: to,
        state: refused ? 'REJECTED' : 'APPLIED',
        vendorReason: refused ?? null,
        actorKind: 'member',
        actorId: memberIds.get(by) ?? by,
        actorName: by,
        requestId: randomUUID(),
        createdAt,
        settledAt: createdAt,
      },
    ]
  })
}

type Change = ReturnType<typeof changesOf>[number]

function auditOf(change: Change): AuditEvent {
  const { id, assetId, fromQuantity, toQuantity, vendorReason, createdAt } = change
  const { actorKind, actorId, actorName, requestId } = change
  const reason: Record<string, string> = vendorReason === null ? {} : { reason: vendorReason }
  return {
    at: createdAt,
    action: vendorReason === null ? 'license-change.applied' : 'license-change.rejected',
    subject: id,
    actor: { kind: actorKind as Actor['kind'], id: actorId, name: actorName },
    requestId,
    details: { assetId, from: fromQuantity, to: toQuantity, ...reason },
  }
}

type SeatSample = { at: Date; purchased: number; assigned: number }

const MONTHS = 13

/**
 * Returns the seat readings of a subscription over the last thirteen months, oldest first: one with each change, and
 * more as people join and leave. The last one equals the present assignment.
 * @param moves the applied changes, oldest first
 */
function samplesOf(purchase: Purchase, moves: { at: Date; to: number }[], today: string): SeatSample[] {
  const { id, status, boughtOn, endedOn = today, seats } = purchase
  const random = randomFrom(`readings ${id}`)
  const begin = [boughtOn, addMonths(today, -MONTHS)].sort().at(-1) ?? boughtOn
  const days = new Set<string>()
  for (let day = begin; day < endedOn; day = addDays(day, random.int(8, 22))) days.add(day)
  const sampleTimes = [...days].map((day) => timeOn(day, 17, random.int(0, 59)))
  const within = moves.filter(({ at }) => at >= timeOn(begin, 0, 0)).map(({ at }) => at)
  const times = [...new Set([...sampleTimes, ...within].map(Number))].sort((a, b) => a - b)
  const purchasedAt = (time: number) => moves.findLast(({ at }) => Number(at) <= time)?.to ?? seats.first

  // Backwards from the number that is assigned now.
  let level = seats.assigned
  let after = Number.POSITIVE_INFINITY
  const samples = times.toReversed().map((time, ago) => {
    const purchased = purchasedAt(time)
    const isSampled = ago > 0 && status !== 'PENDING' && !within.some((at) => Number(at) === time)
    // Mostly fewer the longer ago; where few are left now, they were more.
    const drift = random.around(1) - (level < purchased * 0.4 ? 0.6 : 1.2)
    if (isSampled) level += Math.round(purchased * 0.045 * drift)
    // A lower total takes no license that is in use.
    level = Math.max(0, Math.min(level, purchased, after))
    after = purchased
    return { at: new Date(time), purchased, assigned: level }
  })
  const [first, ...rest] = samples.toReversed()
  // A new subscription has no users yet.
  const isNew = begin === boughtOn && rest.length > 0
  return first ? [isNew ? { ...first, assigned: 0 } : first, ...rest] : []
}
