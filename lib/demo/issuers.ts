import type { NewIssuer } from '#lib/billing/parties/issuers.ts'
import type { NewInvoice } from '#lib/imports/schemas.ts'

const TERMS = 'Payable within 30 days of the invoice date, without deduction.'

/** Companies of the invented reseller. Bank codes of zeros with its name belong to no bank. */
const ISSUERS: readonly NewIssuer[] = [
  {
    name: 'Fernhill Cloud, Inc.',
    address: '0 Fernhill Plaza',
    postcode: '97200',
    city: 'Portland, OR',
    country: 'US',
    taxId: 'EIN 00-7714402',
    bank: 'Bank of Nowhere, N.A.',
    account: 'Account 0007714402, routing 000000000',
    bic: 'FERNUS00',
    terms: TERMS,
  },
  {
    name: 'Fernhill Cloud B.V.',
    address: 'Varenkade 0',
    postcode: '1000 ZZ',
    city: 'Amsterdam',
    country: 'NL',
    taxId: 'NL000771440B00',
    bank: 'Nergensbank N.V.',
    iban: 'NL61FERN0000771440',
    bic: 'FERNNL00',
    terms: TERMS,
  },
  {
    name: 'Fernhill Cloud GmbH',
    address: 'Am Farnhügel 0',
    postcode: '10000',
    city: 'Berlin',
    country: 'DE',
    taxId: 'DE000771440',
    bank: 'Nirgendwo Bank AG',
    iban: 'DE58000000000007714402',
    bic: 'FERNDE00',
    terms: TERMS,
  },
  {
    name: 'Fernhill Cloud Ltd',
    address: '0 Fernhill Lane',
    postcode: 'EC0 0ZZ',
    city: 'London',
    country: 'GB',
    taxId: 'GB000771440',
    bank: 'Bank of Nowhere plc',
    iban: 'GB56FERN00000000771440',
    bic: 'FERNGB00',
    terms: TERMS,
  },
  {
    name: 'Fernhill Cloud K.K.',
    address: '0-0 Shidaoka, Minato-ku',
    postcode: '100-0000',
    city: 'Tokyo',
    country: 'JP',
    taxId: 'T0007714400000',
    bank: 'Bank of Nowhere, Tokyo branch 000',
    account: 'Ordinary account 0077144',
    bic: 'FERNJP00',
    terms: TERMS,
  },
]

/** Returns the issuers of the invoices. */
export function issuersOf(invoices: readonly NewInvoice[]): NewIssuer[] {
  const names = new Set(invoices.map(({ issuer }) => issuer))
  return ISSUERS.filter(({ name }) => names.has(name))
}
