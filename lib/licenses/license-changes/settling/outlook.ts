import 'server-only'
import type { Account } from '#lib/vendors/accounts/account.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import type { Change } from '../store/transitions.ts'

/** What can be said of an open change beforehand. */
export type Outlook = {
  /** By when it is settled, in epoch milliseconds, if the vendor answers when it is asked. */
  knownBy: number
  /** Asking for the same total again may have it sent once more now, with one effect. */
  repeatable?: true
}

type OpenChange = Pick<Change, 'state' | 'movedAt' | 'sentAt' | 'seenQuantity'>

/** How long an open change waits at most for the job that asks what became of it, in milliseconds. */
const JOB_MS = 60_000

/** The outlook of a change of an asset that is open there; the times are those that settle it (proof.ts). */
export function outlookOf(change: OpenChange, asset: Account, now = Date.now()): Outlook {
  const { leaseMs, readMs, writeMs, confirmMs } = vendorTimes()
  const vendor = vendorOf(asset)
  const { settleMs, idempotentWrites = 0 } = vendor.books === 'theirs' ? vendor : { settleMs: 0 }
  const movedAt = change.movedAt.getTime()
  const sentBy = change.state === 'CLAIMED' ? movedAt + leaseMs : movedAt
  const knownBy = sentBy + 2 * writeMs + settleMs + JOB_MS + confirmMs
  // As `sendAgain` decides it; the read that precedes may say otherwise still.
  const isOver = change.state === 'UNKNOWN' && now - movedAt > 2 * writeMs
  const isRemembered = now - (change.sentAt?.getTime() ?? now) + readMs + writeMs < idempotentWrites
  const repeatable = isOver && isRemembered && change.seenQuantity === null
  return { knownBy, ...(repeatable ? { repeatable } : {}) }
}
