import { addMonths } from '../calendar.ts'
import type { DemoCustomer, UsageAsset } from '../customers.ts'
import { resent } from './documents.ts'
import { northwindInvoices } from './invoices.ts'
import { northwindOffice, northwindWorkspace } from './purchases.ts'

/** Returns the customer with every case of an asset, an invoice and a member. */
export function northwind(today: string): DemoCustomer {
  const domain = 'northwind-labs.example'
  const purchases = [...northwindWorkspace(today), ...northwindOffice(today)]
  const invoices = northwindInvoices(today, purchases)
  return {
    name: 'Northwind Labs',
    domain,
    contactEmail: `it@${domain}`,
    billingProfiles: [
      {
        id: 'default',
        name: 'Northwind Labs, Inc.',
        address: '410 Alder Point Way\nSeattle, WA 98100',
        country: 'US',
        taxId: 'EIN 00-4829175',
      },
      {
        id: 'northwind-europe',
        name: 'Northwind Labs Europe B.V.',
        address: 'Oude Zeilmakerskade 12\n1010 ZZ Amsterdam',
        country: 'NL',
        taxId: 'NL000482917B00',
      },
      {
        id: 'northwind-japan',
        name: 'Northwind Labs K.K.',
        address: '8F Aozora Building, 3-0 Minato-machi\nTokyo 100-0000',
        country: 'JP',
        taxId: 'T0004829175000',
      },
    ],
    members: [
      { name: 'Mira Kovač', email: `mira.kovac@${domain}`, roles: ['it-manager'] },
      { name: 'Jonas Weber', email: `jonas.weber@${domain}`, roles: ['finance-user'] },
      { name: 'Ana Ruiz', email: `ana.ruiz@${domain}`, roles: ['admin'] },
      { name: 'Sam Okafor', email: `sam.okafor@${domain}`, roles: ['it-manager', 'finance-user'] },
      {
        name: 'Eva de Vries',
        email: `eva.devries@${domain}`,
        roles: ['finance-user'],
        billingProfiles: ['northwind-europe'],
      },
      { name: 'Lee Park', email: `lee.park@${domain}`, roles: [] },
    ],
    purchases,
    usage: northwindUsage(today),
    invoices,
    resent: [resent(invoices, today)],
  }
}

/** Returns two accounts of each type that is billed by usage. */
function northwindUsage(today: string): UsageAsset[] {
  const account = (
    type: UsageAsset['type'],
    {
      suffix,
      name,
      vendorCustomerId,
      monthsAgo,
    }: { suffix: string; name: string; vendorCustomerId: string; monthsAgo: number },
  ): UsageAsset => ({
    id: `${type}-${suffix}`,
    type,
    name,
    domain: 'northwind-labs.example',
    vendorCustomerId,
    boughtOn: addMonths(today, -monthsAgo),
  })
  return [
    account('cloud-platform', {
      suffix: '22c9',
      name: 'Research sandbox',
      vendorCustomerId: '01B9-2E',
      monthsAgo: 11,
    }),
    account('web-services', {
      suffix: '3310',
      name: 'Data lake account',
      vendorCustomerId: '3310-6642-0078',
      monthsAgo: 17,
    }),
    account('cloud-platform', {
      suffix: '01a4',
      name: 'Production organization',
      vendorCustomerId: '01A4-77',
      monthsAgo: 31,
    }),
    account('web-services', {
      suffix: '7714',
      name: 'Payer account',
      vendorCustomerId: '7714-0925-1183',
      monthsAgo: 38,
    }),
  ]
}
