import { countryName } from '#lib/platform/values/countries.ts'

/** Who sells or who buys, as it stood when an invoice arrived; null: was not known. A buyer has no bank. */
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

/** A party of what is stored of it, which leaves out what was not known. */
export function partyOf(content: Partial<Party>): Party {
  return { ...UNKNOWN, ...content }
}

/** Where the post writes the postcode behind the city, and not before it. */
const POSTCODE_LAST = new Set(['AU', 'CA', 'GB', 'IE', 'IN', 'JP', 'KR', 'NZ', 'SG', 'TH', 'TW', 'US'])

/** Where a party is and how the authorities know it, line by line, as far as that is known. */
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
