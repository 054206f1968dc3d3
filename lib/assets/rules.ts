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
