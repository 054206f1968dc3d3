import 'server-only'
import type { VendorDeclaration } from '../declaration.ts'
import type { Foreseen, Observed, ObservedSeats } from '../vendor.ts'
import { type Config, settings } from './settings.ts'

// A vendor that there is not. It was added by the steps of docs/vendors.md, to see that they lead there.

/** Paperclip, by its Licence API. */
export const paperclip: VendorDeclaration<Config> = {
  name: 'paperclip',
  facts: {
    label: 'Paperclip',
    capsFlexible: false,
    takesLicenses: false,
    locksIncreases: true,
    nextTerm: () => undefined,
  },
  settings,
  foresee,
  looksUp: true,
  load: () => import('./connect.ts'),
}

/** Paperclip sells by the dozen and says so in its terms; a dozen is its smallest order. */
function foresee({ seats }: Observed, total: number): Foreseen<ObservedSeats> {
  if (total < 12) {
    return { kind: 'rejected', code: 'vendor_rejected', reason: 'Paperclip sells 12 licenses or more.' }
  }
  return { kind: 'applied', seats: { purchased: total, maximum: total, assigned: seats.assigned } }
}
