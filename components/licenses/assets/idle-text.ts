import type { Idle } from '#lib/costs/idle-licenses/rules.ts'
import { moneyText } from '#lib/platform/values/money.ts'

/** `58 idle for 60 days or more`; undefined where nothing is idle. */
export function idleText({ now, lasting }: Idle): string | undefined {
  const count = lasting ?? now
  if (count < 1) return undefined
  const long = lasting === null ? '' : ' for 60 days or more'
  return `${count.toLocaleString('en')} idle${long}`
}

/** `1,044.00 USD a month`: what the idle ones cost; undefined where no price is known, or may be seen. */
export function idleCost({ cost }: Idle): string | undefined {
  if (!cost) return undefined
  return `${moneyText(cost.amount, cost.currency)} ${cost.isMonthly ? 'a month' : 'per billing period'}`
}
