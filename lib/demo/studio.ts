import type { NewInvoice } from '#lib/imports/schemas.ts'
import { addDays } from '#lib/platform/values/days.ts'
import { type Bill, numberBills } from './bill.ts'
import { addMonths, monthEnds, monthStart, periodText } from './calendar.ts'
import type { DemoCustomer } from './customers.ts'
import { CLOUD_SERVICES, type Lines, usageLines } from './northwind/usage-lines.ts'
import { monthlyLines, type Purchase } from './purchase.ts'
import { randomFrom } from './random.ts'

const DOMAIN = 'lindenhof.example'
const ISSUER = { issuer: 'Fernhill Cloud GmbH', billingProfileId: 'default', currency: 'EUR' }

/** Returns a mid-sized customer: few assets, euros only, nearly everything paid. */
export function studio(today: string): DemoCustomer {
  const purchases = studioPurchases(today)
  return {
    name: 'Studio Lindenhof',
    domain: DOMAIN,
    contactEmail: `buero@${DOMAIN}`,
    billingProfiles: [
      {
        id: 'default',
        name: 'Studio Lindenhof GmbH',
        taxId: 'DE000731846',
        address: 'Am Lindenhof 0\n10000 Berlin',
        country: 'DE',
      },
    ],
    members: [
      { name: 'Lena Brandt', email: `lena.brandt@${DOMAIN}`, roles: ['it-manager'] },
      { name: 'Tobias Vogel', email: `tobias.vogel@${DOMAIN}`, roles: ['finance-user'] },
      { name: 'Katharina Lindenhof', email: `katharina@${DOMAIN}`, roles: ['admin'] },
    ],
    purchases,
    usage: [
      {
        id: 'cloud-platform-6e10',
        type: 'cloud-platform',
        name: 'Render farm',
        domain: DOMAIN,
        vendorCustomerId: '01C2-6E',
        boughtOn: addMonths(today, -25),
      },
    ],
    invoices: studioInvoices(today, purchases),
  }
}

function studioPurchases(today: string): Purchase[] {
  const common = { domain: DOMAIN, status: 'ACTIVE', plan: 'FLEXIBLE' } as const
  const renewsOn = addDays(today, 163)
  return [
    {
      ...common,
      id: 'workspace-suite-3304',
      type: 'workspace-suite',
      price: '11.23',
      sku: { id: 'WS-BSD', name: 'Business Standard' },
      boughtOn: addMonths(today, -29),
      seats: { first: 19, assigned: 24 },
      changes: [{ on: addDays(today, -210), to: 26, by: 'Lena Brandt' }],
    },
    {
      ...common,
      id: 'office-suite-2716',
      type: 'office-suite',
      price: '10.29',
      sku: { id: 'OF-APB', name: 'Apps for Business' },
      plan: 'ANNUAL_MONTHLY_PAY',
      renewsOn,
      boughtOn: addMonths(renewsOn, -24),
      renewalType: 'RENEW_CURRENT_USERS_MONTHLY_PAY',
      seats: { first: 6, assigned: 6 },
    },
  ]
}

function studioInvoices(today: string, purchases: Purchase[]): NewInvoice[] {
  const bills = monthEnds(today, 24).flatMap((day, ago): Bill[] => {
    const [license, ...more] = monthlyLines(purchases, day)
    const period = { periodStart: monthStart(day), periodEnd: addDays(day, 1) }
    const owed = ago === 0 ? { owed: { share: 1 } } : {}
    const cloud: Bill = {
      ...ISSUER,
      platform: 'cloud-platform',
      invoiceDate: day,
      ...period,
      lines: renderLines(day, ago),
    }
    if (!license) return [cloud]
    // The suites are billed together, as a small customer's are.
    const suites: Bill = {
      ...ISSUER,
      platform: 'workspace-suite',
      invoiceDate: day,
      ...period,
      lines: [license, ...more],
      ...owed,
    }
    return [cloud, suites]
  })
  return numberBills(bills, { prefix: 'RE-', credit: 'GS-', first: 71_400 })
}

function renderLines(day: string, ago: number): Lines {
  const usage = { type: 'cloud-platform', currency: ISSUER.currency, services: CLOUD_SERVICES.slice(3, 8) }
  const details = periodText(monthStart(day), day)
  return usageLines(randomFrom(`studio ${ago}`), { ...usage, size: 0.08, details })
}
