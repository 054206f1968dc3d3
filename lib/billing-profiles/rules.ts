/** Whom an invoice addresses; null: not known. */
export type BillingProfile = {
  id: string
  name: string
  /** A line of the address per line. */
  address: string | null
  taxId: string | null
}
