import type { Idle } from '#lib/costs/idle-licenses/rules.ts'
import { moneyText } from '#lib/platform/values/money.ts'

/** Returns `58 unused for 60 days or more`, or `58 unassigned` where that is not known; undefined for none. */
export function idleText({ now, longIdle }: Idle): string | undefined {
  const count = longIdle ?? now
  if (count < 1) return undefined
  const what = longIdle === null ? 'unassigned' : 'unused for 60 days or more'
  return `${count.toLocaleString('en')} ${what}`
}

/**
 * Returns the costs of idle licenses: `1,044.00 USD a month`; undefined where the price is unknown, or hidden from the
 * member.
 */
export function idleCost({ cost }: Idle): string | undefined {
  if (!cost) return undefined
  return `${moneyText(cost.amount, cost.currency)} ${cost.isMonthly ? 'a month' : 'per billing period'}`
}

/** Cost of an asset's unused licenses for its row, in short, and what is counted. */
export type IdleNote = { short: string; counted: string | undefined }

/**
 * Returns the notes of rows by asset id, for licenses that were unused for 60 days or more and have a price. The page
 * makes them, because the list needs no other amounts.
 */
export function idleNotes(idle: Record<string, Idle>): Record<string, IdleNote> {
  return Object.fromEntries(
    Object.entries(idle).flatMap(([id, one]) => {
      const cost = one.longIdle ? idleCost(one) : undefined
      if (!one.longIdle || !cost) return []
      const short = `${one.longIdle.toLocaleString('en')} unused: ${cost.replace(' a month', '/mo')}`
      return [[id, { short, counted: idleText(one) }]]
    }),
  )
}
