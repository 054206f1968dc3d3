import { addDays } from '#lib/platform/values/days.ts'
import { addMonths, timeOn } from './calendar.ts'
import type { Purchase } from './purchase.ts'
import { randomFrom } from './random.ts'

type Reading = { at: Date; purchased: number; assigned: number }

const MONTHS = 13

/**
 * What was read of a subscription's seats over the last thirteen months, oldest first: a reading with each change,
 * and in between as people come and go. The last one says what is assigned now.
 * @param moves the changes that were applied, oldest first
 */
export function readingsOf(purchase: Purchase, moves: { at: Date; to: number }[], today: string): Reading[] {
  const { id, status, boughtOn, endedOn = today, seats } = purchase
  const random = randomFrom(`readings ${id}`)
  const begin = [boughtOn, addMonths(today, -MONTHS)].sort().at(-1) ?? boughtOn
  const days = new Set<string>()
  for (let day = begin; day < endedOn; day = addDays(day, random.int(8, 22))) days.add(day)
  const looks = [...days].map((day) => timeOn(day, 17, random.int(0, 59)))
  const within = moves.filter(({ at }) => at >= timeOn(begin, 0, 0)).map(({ at }) => at)
  const times = [...new Set([...looks, ...within].map(Number))].sort((a, b) => a - b)
  const purchasedAt = (time: number) => moves.findLast(({ at }) => Number(at) <= time)?.to ?? seats.first

  // Backwards from what is known: the number that is assigned now.
  let level = seats.assigned
  let after = Number.POSITIVE_INFINITY
  const readings = times.toReversed().map((time, ago) => {
    const purchased = purchasedAt(time)
    const isLook = ago > 0 && status !== 'PENDING' && !within.some((at) => Number(at) === time)
    // Mostly fewer the longer ago; where few are left now, they were more.
    const drift = random.around(1) - (level < purchased * 0.4 ? 0.6 : 1.2)
    if (isLook) level += Math.round(purchased * 0.045 * drift)
    // Nobody loses a license that is in use when the total is lowered.
    level = Math.max(0, Math.min(level, purchased, after))
    after = purchased
    return { at: new Date(time), purchased, assigned: level }
  })
  const [first, ...rest] = readings.toReversed()
  // A new subscription has nobody yet.
  const isNew = begin === boughtOn && rest.length > 0
  return first ? [isNew ? { ...first, assigned: 0 } : first, ...rest] : []
}
