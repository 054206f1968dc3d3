/** Whom an invoice addresses; null: not known. */
export type BillingProfile = {
  id: string
  name: string
  /** A line of the address per line. */
  address: string | null
  postcode: string | null
  city: string | null
  /** Two letters, as `countryOf` of countries.ts gives them. */
  country: string | null
  taxId: string | null
  /** In its country's register of companies. */
  registration: string | null
}
