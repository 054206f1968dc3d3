import type { DemoProfile } from '../customers.ts'

/** A company of the freight group, billed on its own and in its own currency. */
export type Company = DemoProfile & {
  issuer: string
  currency: string
  /** Local price of a license with a list price of one dollar. */
  rate: number
  /** Cities with a site; each site has its own subscriptions and accounts. */
  cities: string[]
}

export const COMPANIES: readonly Company[] = [
  {
    id: 'default',
    name: 'Halvorsen Freight AS',
    taxId: 'NO000615204MVA',
    address: 'Tollbukaia 0\n0001 Oslo',
    country: 'NO',
    issuer: 'Fernhill Cloud B.V.',
    currency: 'EUR',
    rate: 0.94,
    cities: ['Oslo', 'Bergen', 'Trondheim', 'Gothenburg', 'Malmo', 'Aarhus', 'Tampere'],
  },
  {
    id: 'halvorsen-germany',
    name: 'Halvorsen Spedition GmbH',
    taxId: 'DE000615204',
    address: 'Am Containerhof 0\n20000 Hamburg',
    country: 'DE',
    issuer: 'Fernhill Cloud GmbH',
    currency: 'EUR',
    rate: 0.93,
    cities: ['Hamburg', 'Bremen', 'Rostock', 'Leipzig', 'Duisburg', 'Regensburg'],
  },
  {
    id: 'halvorsen-benelux',
    name: 'Halvorsen Benelux N.V.',
    taxId: 'BE0006152040',
    address: 'Noorderkaai 0\n2000 Antwerp',
    country: 'BE',
    issuer: 'Fernhill Cloud B.V.',
    currency: 'EUR',
    rate: 0.93,
    cities: ['Antwerp', 'Rotterdam', 'Ghent', 'Liege', 'Venlo'],
  },
  {
    id: 'halvorsen-britain',
    name: 'Halvorsen Freight (UK) Ltd',
    taxId: 'GB000615204',
    address: '0 Dockside Road\nFelixstowe',
    country: 'GB',
    issuer: 'Fernhill Cloud Ltd',
    currency: 'GBP',
    rate: 0.81,
    cities: ['Felixstowe', 'Hull', 'Bristol', 'Leeds', 'Belfast'],
  },
  {
    id: 'halvorsen-america',
    name: 'Halvorsen Freight Inc.',
    taxId: 'EIN 00-6152040',
    address: '0 Terminal Avenue\nNewark, NJ 07100',
    country: 'US',
    issuer: 'Fernhill Cloud, Inc.',
    currency: 'USD',
    rate: 1,
    cities: ['Newark', 'Savannah', 'Baltimore', 'Memphis', 'Tacoma'],
  },
]
