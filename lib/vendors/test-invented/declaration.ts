import 'server-only'
import type { VendorDeclaration } from '../declaration.ts'
import type { Observed, ObservedSeats, PredictedOutcome } from '../vendor.ts'
import { type Config, settings } from './settings.ts'

// A vendor that there is not. It was added by the steps of docs/vendors.md, to see that they lead there.

/** Paperclip, by its Licence API. */
export const paperclip: VendorDeclaration<Config> = {
  name: 'paperclip',
  info: {
    label: 'Paperclip',
    capsFlexible: false,
    takesLicenses: false,
    locksIncreases: true,
    nextTerm: () => undefined,
  },
  settings,
  predictOutcome,
  hasLookup: true,
  load: () => import('./connect.ts'),
}

/** Paperclip sells by the dozen and says so in its terms; a dozen is its smallest order. */
function predictOutcome({ seats }: Observed, total: number): PredictedOutcome<ObservedSeats> {
  if (total < 12) {
    return { kind: 'rejected', code: 'vendor_rejected', reason: 'Paperclip sells 12 licenses or more.' }
  }
  return { kind: 'applied', seats: { purchased: total, maximum: total, assigned: seats.assigned } }
}
