import {
  CLOUD_SERVICES,
  type Lines,
  type Service,
  usageLines,
  WEB_SERVICES,
} from '#lib/demo/northwind/usage-lines.ts'
import type { NewInvoice } from '#lib/imports/schemas.ts'
import { addDays } from '#lib/platform/values/days.ts'
import { type Bill, numberBills } from '../bill.ts'
import { addMonths, monthStart, periodText } from '../calendar.ts'
import type { DemoCustomer } from '../customers.ts'
import { licenseLine, type Purchase } from '../purchase.ts'
import { type Random, randomFrom } from '../random.ts'
import { FREIGHT_DOMAIN, sharedAccounts, sitePurchases } from './assets.ts'
import { COMPANIES, type Company } from './companies.ts'

const MONTHS = 36

/**
 * Returns the largest customer: five companies with 28 sites, each with five invoices a month for three years.
 * @param options.invoices number of the newest invoices; 5,040 at most
 */
export function freight(today: string, { invoices = 5000 } = {}): DemoCustomer {
  const sites = COMPANIES.flatMap((company) =>
    company.cities.map((city) => ({ city, company, purchases: sitePurchases(city, company, today) })),
  )
  return {
    name: 'Halvorsen Freight',
    domain: FREIGHT_DOMAIN,
    contactEmail: `cloud@${FREIGHT_DOMAIN}`,
    billingProfiles: COMPANIES.map(({ id, name, address, country, taxId }) => ({
      id,
      name,
      address,
      country,
      taxId,
    })),
    members: [
      { name: 'Ingrid Solberg', email: `ingrid.solberg@${FREIGHT_DOMAIN}`, roles: ['it-manager'] },
      { name: 'Marek Nowak', email: `marek.nowak@${FREIGHT_DOMAIN}`, roles: ['finance-user'] },
      { name: 'Erik Halvorsen', email: `erik@${FREIGHT_DOMAIN}`, roles: ['admin'] },
    ],
    purchases: sites.flatMap(({ purchases }) => purchases),
    usage: sharedAccounts(today),
    invoices: newest(
      sites.flatMap((site) => siteBills(site, today)),
      invoices,
    ),
  }
}

type Site = { city: string; company: Company; purchases: Purchase[] }

function siteBills({ city, company, purchases }: Site, today: string): Bill[] {
  const usage: [type: string, services: readonly Service[], account: string][] = [
    ['web-services', WEB_SERVICES, 'Warehouse control'],
    ['web-services', WEB_SERVICES, 'Customer portal'],
    ['cloud-platform', CLOUD_SERVICES, 'Track and trace'],
  ]
  const used = usage.flatMap(([type, services, account]) => {
    const random = randomFrom(`freight ${city} ${account}`)
    // A site uses the same few services month after month.
    const start = random.int(0, services.length - 4)
    const some = services.slice(start, start + random.int(1, 4))
    const size = 0.004 + random.next() * 0.08
    return billDays(random, today).map((day, ago) => {
      const details = `${account} ${city}, ${periodOf(day)}`
      const month = { type, services: some, currency: company.currency, size: size * (1 - ago / 90), details }
      const lines = usageLines(random, month)
      return billOf(company, { platform: type, day, lines, owed: owedOf(random, ago) })
    })
  })
  const licensed = purchases.flatMap((purchase) => {
    const random = randomFrom(`freight ${purchase.id}`)
    return billDays(random, today).map((day, ago) => {
      const lines: Lines = [licenseLine(purchase, day, periodOf(day))]
      return billOf(company, { platform: purchase.type, day, lines, owed: owedOf(random, ago) })
    })
  })
  return [...used, ...licensed]
}

type BillFields = { platform: string; day: string; lines: Lines; owed: Bill['owed'] }
function billOf({ id, issuer, currency }: Company, { platform, day, lines, owed }: BillFields): Bill {
  const period = { periodStart: addMonths(day, -1), periodEnd: day }
  const bill = { billingProfileId: id, issuer, currency, platform, invoiceDate: day, lines, ...period }
  return owed ? { ...bill, owed } : bill
}

/** Returns the days on which an account is billed, newest first: each account has its own day of the month. */
function billDays(random: Random, today: string): string[] {
  const inMonth = addDays(monthStart(today), random.int(0, 27))
  const newest = inMonth <= today ? inMonth : addMonths(inMonth, -1)
  return Array.from({ length: MONTHS }, (_, ago) => addMonths(newest, -ago))
}

function periodOf(day: string): string {
  return periodText(addMonths(day, -1), addDays(day, -1))
}

/** Returns the open balance: the newest invoices are open, few of the older ones are late. */
function owedOf(random: Random, ago: number): Bill['owed'] {
  const chance = [0.8, 0.25, 0.05][ago] ?? 0.002
  if (random.next() >= chance) return undefined
  return { share: random.next() < 0.15 ? 0.35 : 1 }
}

function newest(bills: Bill[], count: number): NewInvoice[] {
  const all = numberBills(bills, { prefix: 'HF-', credit: 'HC-', first: 310_000 })
  return all.slice(Math.max(0, all.length - count))
}
