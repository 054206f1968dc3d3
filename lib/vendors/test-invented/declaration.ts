import 'server-only'
import type { VendorDeclaration } from '../declaration.ts'
import type { Observed, ObservedSeats, PredictedOutcome } from '../vendor.ts'
import { type Config, settings } from './settings.ts'

// Fictitious vendor, added by the steps of docs/develop/vendors.md to test those.

/** Paperclip and its Licence API. */
export const paperclip: VendorDeclaration<Config> = {
  name: 'paperclip',
  info: {
    label: 'Paperclip',
    capsFlexible: false,
    takesLicenses: false,
    locksIncreases: true,
    nextTerm: () => undefined,
    endActions: [],
  },
  settings,
  predictOutcome,
  hasLookup: true,
  load: () => import('./connect.ts'),
}

/** Predicts refusals: Paperclip's terms require whole dozens, and at least one. */
function predictOutcome({ seats }: Observed, total: number): PredictedOutcome<ObservedSeats> {
  if (total < 12) {
    return { kind: 'rejected', code: 'vendor_rejected', reason: 'Paperclip sells 12 licenses or more.' }
  }
  return { kind: 'applied', seats: { purchased: total, maximum: total, assigned: seats.assigned } }
}
