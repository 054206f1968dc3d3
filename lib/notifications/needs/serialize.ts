import 'server-only'
import { createHash } from 'node:crypto'
import type { Cost } from '#lib/costs/license-prices/rules.ts'
import { moneyIn } from '#lib/costs/renewals/serialize.ts'
import { outcomeOf } from '#lib/licenses/assets/rules.ts'
import { epochOfDay } from '#lib/platform/values/days.ts'
import { toJsonNumber } from '#lib/platform/values/numbers.ts'
import { extendedTermSettings } from '#lib/vendors/settings.ts'
import type { Need as Item, Needs } from './contract.ts'
import { describeNeed } from './messages.ts'
import type { LoadedNeeds } from './read.ts'
import { comparableValues, type Need, nameOf } from './rules.ts'

/** @param baseUrl the console's public address, without a trailing slash */
export function serializeNeeds({ needs, dismissed, looked }: LoadedNeeds, baseUrl: string): Needs {
  const items = needs.map((need) => serializeNeed(need, dismissed, baseUrl))
  return { count: items.filter(({ isDismissed }) => !isDismissed).length, needs: items, looked }
}

function serializeNeed(need: Need, dismissed: LoadedNeeds['dismissed'], baseUrl: string): Item {
  const [id, version] = [nameOf(need), versionOf(need)]
  const item = {
    id,
    version,
    kind: need.kind,
    isDismissed: dismissed.get(id) === version,
    ...('asset' in need ? { asset: need.asset } : {}),
    ...partsOf(need),
  }
  return { ...item, url: baseUrl + describeNeed({ ...item, url: '' }).path }
}

/** Returns a digest of the need's values: a dismissed need returns when its values change. */
function versionOf(need: Need): string {
  const text = JSON.stringify([nameOf(need), ...comparableValues(need)])
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

function partsOf(need: Need): Partial<Item> {
  switch (need.kind) {
    case 'past-due': {
      const { dueDate, amount, ...rest } = need.pastDue
      return { pastDue: { ...rest, amount: toJsonNumber(amount), dueDate: epochOfDay(dueDate) } }
    }
    case 'change': {
      const { reason, at: time, ...rest } = need.change
      return { change: { ...rest, time, ...(reason === null ? {} : { reason }) } }
    }
    case 'renewal': {
      const { at: time, cost, nextCost, renewalType, scheduledTotal, decideBy, ...rest } = need.renewal
      const outcome = outcomeOf(renewalType)
      const more = {
        decideBy: epochOfDay(decideBy),
        ...(renewalType && outcome ? { renewalType, outcome } : {}),
        ...(outcome === 'extended-term' ? extendedTermSettings() : {}),
        ...(nextCost ? { nextCost: moneyIn(nextCost) } : {}),
        ...(scheduledTotal === null ? {} : { scheduledTotal }),
      }
      return { renewal: { ...rest, time, ...costIn(cost), ...more } }
    }
    case 'idle': {
      const { cost, ...rest } = need.idle
      return { idle: { ...rest, ...costIn(cost) } }
    }
    case 'nearly-full':
      return { nearlyFull: need.full }
    case 'unmatched-lines': {
      const { invoice, count, amount, currency } = need.unmatched
      const { id, number, day } = invoice
      const reference = { id, number, day: epochOfDay(day) }
      return { unmatchedLines: { invoice: reference, count, amount: toJsonNumber(amount), currency } }
    }
  }
}

function costIn(cost: Cost | undefined) {
  return cost ? { cost: { ...cost, amount: toJsonNumber(cost.amount) } } : {}
}
