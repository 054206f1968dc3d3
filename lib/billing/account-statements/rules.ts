/** Kinds of movements: documents, payments, and how payments are moved. */
export const MOVEMENT_KINDS = [
  'invoice',
  'credit-note',
  'voided',
  'payment',
  'refund',
  'write-off',
  'reported',
  'opening',
  'reversal',
  'allocation',
] as const
export type MovementKind = (typeof MOVEMENT_KINDS)[number]

export const MOVEMENT_NAMES: Record<MovementKind, string> = {
  invoice: 'Invoice',
  'credit-note': 'Credit note',
  voided: 'Voided',
  payment: 'Payment',
  refund: 'Refund',
  'write-off': 'Write-off',
  reported: 'Balance reported by the issuer',
  opening: 'Settled before payments were recorded',
  reversal: 'Reversal',
  allocation: 'Allocation of credit',
}
