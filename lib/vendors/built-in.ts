import 'server-only'
import type { LocalVendor } from './vendor.ts'

/**
 * The vendor whose books are our own database: the asset's row is the record, and the caller writes it
 * in the same transaction. Like every vendor it has a word of its own: users keep their licenses.
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
    // A cap that was stated apart is not ours to lower.
    const maximum = seats.maximum === seats.purchased ? total : Math.max(seats.maximum, total)
    return { kind: 'applied', seats: { ...seats, purchased: total, maximum } }
  },
}
