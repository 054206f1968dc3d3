import 'server-only'
import type { LocalVendor } from './vendor.ts'

/**
 * Vendor whose system of record is our own database: the asset's row, which the caller updates in the same transaction.
 * Its only rule: licenses in use can't be cancelled.
 */
export const builtIn: LocalVendor = {
  name: 'built-in',
  label: 'The vendor',
  systemOfRecord: 'ours',
  predictOutcome({ seats }, total) {
    if (total < seats.assigned) {
      const excessAssigned = seats.assigned - total
      const reason = `${seats.assigned} users are assigned. Unassign ${excessAssigned} first, or choose ${seats.assigned} or more.`
      return { kind: 'rejected', code: 'vendor_rejected', reason }
    }
    // An explicit cap must not be lowered.
    const maximum = seats.maximum === seats.purchased ? total : Math.max(seats.maximum, total)
    return { kind: 'applied', seats: { ...seats, purchased: total, maximum } }
  },
}
