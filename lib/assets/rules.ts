/** The types whose assets carry licenses; the rest is billed by usage. */
export const LICENSE_TYPES = ['workspace-suite', 'office-suite'] as const

/** Largest quantity that a request may ask for. The vendor's own limit is usually lower. */
export const MAX_QUANTITY = 1_000_000

type Versioned = {
  seatsPurchased: number | null
  seatsMaximum: number | null
  planName: string | null
  isCommitmentPlan: boolean | null
  status: string | null
}

/** Whether the seat version moves: with purchased seats, plan and status, never with assigned seats. */
export function movesVersion(stored: Versioned, values: Versioned): boolean {
  const fields = ['seatsPurchased', 'seatsMaximum', 'planName', 'isCommitmentPlan', 'status'] as const
  return fields.some((field) => stored[field] !== values[field])
}

/** What a vendor does at the end of a commitment, in words: "Renews", and how, as in "with the licenses in use". */
export type AtItsEnd = { verb: 'Renews' | 'Becomes flexible' | 'Ends'; how?: string }

/**
 * @param renewalType as the vendor calls it, and not empty
 */
export function atItsEnd(renewalType: string): AtItsEnd {
  if (renewalType.startsWith('AUTO_RENEW')) return { verb: 'Renews' }
  if (renewalType.startsWith('RENEW_CURRENT_USERS'))
    return { verb: 'Renews', how: 'with the licenses in use' }
  if (renewalType === 'SWITCH_TO_PAY_AS_YOU_GO') return { verb: 'Becomes flexible' }
  if (renewalType === 'CANCEL') return { verb: 'Ends' }
  return { verb: 'Renews', how: `(${renewalType})` }
}
