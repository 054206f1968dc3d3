import 'server-only'
import type { Foreseen, Observed, ObservedSeats } from '../vendor.ts'

/** Paperclip sells by the dozen and says so in its terms; a dozen is its smallest order. */
export function foresee({ seats }: Observed, total: number): Foreseen<ObservedSeats> {
  if (total < 12) {
    return { kind: 'rejected', code: 'vendor_rejected', reason: 'Paperclip sells 12 licenses or more.' }
  }
  return { kind: 'applied', seats: { purchased: total, maximum: total, assigned: seats.assigned } }
}
