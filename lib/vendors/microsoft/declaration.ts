import 'server-only'
import type { VendorDeclaration } from '../declaration.ts'
import type { Observed, ObservedSeats, PredictedOutcome } from '../vendor.ts'
import { type RawSubscription, storedRawSubscription } from './raw-subscription.ts'
import { isSame } from './same.ts'
import { type Config, settings } from './settings.ts'

/** Microsoft, by Partner Center (cloud solution providers, new commerce). */
export const microsoft: VendorDeclaration<Config> = {
  name: 'microsoft-partner-center',
  info: {
    label: 'Microsoft',
    capsFlexible: false,
    takesLicenses: true,
    locksIncreases: true,
    nextTerm: () => 'total',
    endActions: ['cancel', 'extended-term'],
  },
  settings,
  predictOutcome,
  isSame,
  setsNextTerm: true,
  load: () => import('./connect.ts'),
}

/**
 * Of a decrease, what Microsoft says of the licenses that can still be returned: how many, and until when. Nothing is
 * computed here: where it says nothing, it is asked.
 */
export function predictOutcome(observed: Observed, total: number): PredictedOutcome<ObservedSeats> {
  const { purchased, assigned } = observed.seats
  const rawSubscription = storedRawSubscription(observed)
  const drop = purchased - total
  if (rawSubscription?.refundable && drop > rawSubscription.refundable.total) {
    return {
      kind: 'rejected',
      code: 'vendor_rejected',
      reason: notRefundable(purchased, rawSubscription, rawSubscription.refundable),
    }
  }
  return { kind: 'applied', seats: { purchased: total, maximum: total, assigned } }
}

function notRefundable(
  purchased: number,
  { termEnd }: RawSubscription,
  { total, until }: NonNullable<RawSubscription['refundable']>,
): string {
  if (total === 0) {
    const end = termEnd ? ` on ${termEnd.slice(0, 10)}` : ''
    return `Microsoft takes none of these licenses back before the term ends${end}. Choose ${purchased} or more.`
  }
  const windows = until.map(([quantity, day]) => `${quantity} until ${minute(day)}`).join(', ')
  const which = windows ? `: ${windows}` : ''
  return `Microsoft takes back at most ${total} of these licenses${which}. Choose ${purchased - total} or more.`
}

/** `2026-11-27 08:15 UTC`; a text that is no time as it stands. */
function minute(text: string): string {
  const date = new Date(text)
  if (!Number.isFinite(date.getTime())) return text.slice(0, 40)
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
