import { addDays } from '#lib/platform/values/days.ts'
import { addMonths } from '../calendar.ts'
import type { UsageAsset } from '../customers.ts'
import type { Purchase } from '../purchase.ts'
import { randomFrom } from '../random.ts'
import type { Company } from './companies.ts'

export const FREIGHT_DOMAIN = 'halvorsen.example'

type Sku = { id: string; name: string; dollars: number }
const WORKSPACE: [Sku, ...Sku[]] = [
  { id: 'WS-FST', name: 'Frontline Starter', dollars: 4.31 },
  { id: 'WS-BSD', name: 'Business Standard', dollars: 12.24 },
  { id: 'WS-BPL', name: 'Business Plus', dollars: 17.93 },
]
const OFFICE: [Sku, ...Sku[]] = [
  { id: 'OF-F3', name: 'Office F3', dollars: 7.46 },
  { id: 'OF-APB', name: 'Apps for Business', dollars: 11.17 },
]

/** Returns the subscriptions of a site: one of each suite, three years old or more. */
export function sitePurchases(city: string, { rate }: Company, today: string): [Purchase, Purchase] {
  const bought = (type: Purchase['type'], skus: [Sku, ...Sku[]]): Purchase => {
    const random = randomFrom(`freight ${city} ${type}`)
    const sku = random.choose(skus)
    const isAnnual = random.next() < 0.4
    const boughtOn = addDays(addMonths(today, -37), -random.int(0, 500))
    const first = random.int(8, 140)
    const now = Math.ceil(first * (1 + random.next() * 0.6))
    return {
      id: `${type}-${random.int(10_000, 99_999)}`,
      type,
      sku,
      domain: domainOf(city),
      status: 'ACTIVE',
      boughtOn,
      price: (sku.dollars * rate).toFixed(2),
      seats: { first, assigned: Math.floor(now * (0.55 + random.next() * 0.45)) },
      changes: [{ on: addDays(today, -random.int(60, 900)), to: now, by: 'Ingrid Solberg' }],
      ...(isAnnual
        ? {
            plan: 'ANNUAL_MONTHLY_PAY',
            renewsOn: addDays(today, random.int(5, 360)),
            renewalType: 'RENEW_CURRENT_USERS_MONTHLY_PAY',
          }
        : { plan: 'FLEXIBLE' }),
    }
  }
  return [bought('workspace-suite', WORKSPACE), bought('office-suite', OFFICE)]
}

/** Returns the accounts that all sites share. */
export function sharedAccounts(today: string): UsageAsset[] {
  const account = (type: UsageAsset['type'], suffix: string, name: string, vendorCustomerId: string) => ({
    id: `${type}-${suffix}`,
    type,
    name,
    vendorCustomerId,
    domain: FREIGHT_DOMAIN,
    boughtOn: addMonths(today, -55),
  })
  return [
    account('cloud-platform', 'a107', 'Track and trace', '01D3-A1'),
    account('cloud-platform', 'b220', 'Customs filing', '01D3-B2'),
    account('web-services', '4471', 'Warehouse control', '4471-2036-9918'),
    account('web-services', '8802', 'Customer portal', '8802-5514-0673'),
  ]
}

function domainOf(city: string): string {
  return `${city.toLowerCase()}.${FREIGHT_DOMAIN}`
}
