import { countryName } from '#lib/platform/values/countries.ts'

/** Seller or buyer, as stored when an invoice arrived; null: unknown. A buyer has no bank. */
export type Party = {
  name: string
  /** A line of the address per line. */
  address: string | null
  postcode: string | null
  city: string | null
  /** Two letters, as `countryOf` of countries.ts gives them. */
  country: string | null
  taxId: string | null
  registration: string | null
  bank: string | null
  iban: string | null
  bic: string | null
  account: string | null
  terms: string | null
}

const UNKNOWN: Party = {
  name: '',
  address: null,
  postcode: null,
  city: null,
  country: null,
  taxId: null,
  registration: null,
  bank: null,
  iban: null,
  bic: null,
  account: null,
  terms: null,
}

/** Returns a party from its stored content, which omits unknown fields. */
export function partyOf(content: Partial<Party>): Party {
  return { ...UNKNOWN, ...content }
}

/** Countries whose addresses have the postcode after the city. */
const POSTCODE_LAST = new Set(['AU', 'CA', 'GB', 'IE', 'IN', 'JP', 'KR', 'NZ', 'SG', 'TH', 'TW', 'US'])

/** Returns a party's address and registrations, line by line, as far as they are known. */
export function partyLines({ address, postcode, city, country, taxId, registration }: Party): string[] {
  const parts = country !== null && POSTCODE_LAST.has(country) ? [city, postcode] : [postcode, city]
  const place = parts.filter((part) => part !== null).join(' ')
  return [
    ...(address?.split('\n') ?? []),
    ...(place ? [place] : []),
    ...(country ? [countryName(country)] : []),
    ...(taxId ? [`Tax ID ${taxId}`] : []),
    ...(registration ? [`Registration ${registration}`] : []),
  ]
}
