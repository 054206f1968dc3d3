import type { NewInvoice, NewLineItem } from '#lib/imports/schemas.ts'
import { addDays } from '#lib/platform/values/days.ts'
import { type Bill, chargeLine, numberBills } from '../bill.ts'
import { addMonths, monthEnds, monthStart, periodText } from '../calendar.ts'
import { monthlyLines, type Purchase, yearlyBills, yearlyLine } from '../purchase.ts'
import { randomFrom } from '../random.ts'
import { runningMonth, withCredited, withOddTax } from './documents.ts'
import { CLOUD_SERVICES, type Lines, usageLines, WEB_SERVICES } from './usage-lines.ts'

const US = {
  issuer: 'Fernhill Cloud, Inc.',
  billingProfileId: 'default',
  currency: 'USD',
  billingAccount: 'FC-482917',
}
const EUROPE = { issuer: 'Fernhill Cloud B.V.', billingProfileId: 'northwind-europe', currency: 'EUR' }
const JAPAN = { issuer: 'Fernhill Cloud K.K.', billingProfileId: 'northwind-japan', currency: 'JPY' }
const ACCOUNTS = ['0925', '1183', '2070', '3316', '4408', '5591', '6642', '7714']

/** Special cases of invoices, by platform and age in months; all others are paid. */
const CASES: Record<string, Pick<Bill, 'owed' | 'notItemized'>> = {
  'web-services 0': { owed: { share: 1 } },
  'cloud-platform 0': { owed: { share: 1 } },
  'workspace-suite 0': { owed: { share: 0.4 } },
  'web-services 1': { owed: { share: 0.31 } },
  'cloud-platform 1': { owed: { share: 1 } },
  'office-suite 1': { owed: { share: 1 } },
  'cloud-platform 2': { owed: { share: 1, plus: '75' } },
  'office-suite 2': { owed: { share: 1 } },
  'web-services 3': { owed: { share: 0.18 } },
  'workspace-suite 4': { owed: { plus: '-18.4' } },
  'cloud-platform 13': { notItemized: '1943.12' },
}
const ITEMIZED_BY_ACCOUNT = 6

/**
 * Returns invoices of three years on four platforms, with each case of an invoice, and a draft of the running month.
 */
export function northwindInvoices(today: string, purchases: Purchase[]): NewInvoice[] {
  const ends = monthEnds(today, 36)
  const bills = ends.flatMap((day, ago) => monthOf(day, ago, purchases))
  const yearly = purchases.filter(({ plan }) => plan === 'ANNUAL_YEARLY_PAY')
  const numbering = { prefix: 'IN-', credit: 'CN-', first: 203_000 }
  const numbered = numberBills(
    [...bills, ...yearly.flatMap((purchase) => yearsOf(purchase, today)), ...credits(ends)],
    numbering,
  )
  return [...withOddTax(withCredited(numbered)), runningMonth(today)]
}

function monthOf(day: string, ago: number, purchases: Purchase[]): Bill[] {
  const month = { invoiceDate: day, details: periodText(monthStart(day), day), ago }
  const licenses = (type: Purchase['type']) =>
    monthlyLines(
      purchases.filter((purchase) => purchase.type === type),
      day,
    )
  const bills: (Omit<Bill, 'lines'> & { lines: NewLineItem[] })[] = [
    { ...US, platform: 'web-services', invoiceDate: day, lines: webLines(month) },
    { ...US, platform: 'cloud-platform', invoiceDate: day, lines: ago < 30 ? cloudLines(month) : [] },
    { ...US, platform: 'workspace-suite', invoiceDate: day, lines: licenses('workspace-suite') },
    { ...EUROPE, platform: 'office-suite', invoiceDate: day, lines: licenses('office-suite') },
  ]
  const period = { periodStart: monthStart(day), periodEnd: addDays(day, 1) }
  const usual = bills
    .filter(hasLines)
    .map((bill) => ({ ...bill, ...period, ...CASES[`${bill.platform} ${ago}`] }))
  return ago < 2 ? [...usual, japan(month)] : usual
}

type Month = { invoiceDate: string; details: string; ago: number }

function webLines({ details, ago }: Month): NewLineItem[] {
  const type = 'web-services'
  const random = randomFrom(`northwind ${type} ${ago}`)
  const size = 1 - ago * 0.011
  const usage = { type, currency: 'USD', services: WEB_SERVICES }
  if (ago === ITEMIZED_BY_ACCOUNT) {
    const services = WEB_SERVICES.slice(0, 15)
    return ACCOUNTS.flatMap((account, index) =>
      usageLines(random, {
        ...usage,
        services,
        size: (size * (index + 1)) / 36,
        details: `Account ${account}, ${details}`,
      }),
    )
  }
  const support = (3_412.63 * size * random.around(0.05)).toFixed(2)
  const services = WEB_SERVICES.slice(0, 13 + random.int(0, 3))
  return [
    ...usageLines(random, { ...usage, services, size, details }),
    chargeLine(type, 'Support, business tier', support, details),
  ]
}

function cloudLines({ details, ago }: Month): Lines {
  const type = 'cloud-platform'
  const random = randomFrom(`northwind ${type} ${ago}`)
  const size = 1 - ago * 0.017
  const discount = (-1_870.4 * size * random.around(0.1)).toFixed(2)
  const services = CLOUD_SERVICES.slice(0, 9 + random.int(0, 3))
  return [
    ...usageLines(random, { type, currency: 'USD', services, size, details }),
    chargeLine(type, 'Committed-use discount, cores', discount, details),
  ]
}

/** Returns the bill of a pilot of a few months in the Tokyo office. */
function japan({ invoiceDate, details, ago }: Month): Bill {
  const random = randomFrom(`northwind japan ${ago}`)
  const services = WEB_SERVICES.slice(0, 6)
  const usage = { type: 'web-services', currency: JAPAN.currency, services, size: 0.012, details }
  const owed = ago === 0 ? { owed: { share: 1 } } : {}
  return { ...JAPAN, platform: 'web-services', invoiceDate, lines: usageLines(random, usage), ...owed }
}

function yearsOf(purchase: Purchase, today: string): Bill[] {
  return yearlyBills(purchase, addMonths(today, -36)).map((day) => {
    return { ...EUROPE, platform: purchase.type, invoiceDate: day, lines: [yearlyLine(purchase, day)] }
  })
}

/** One credit that was set off, and one still open. */
function credits(ends: string[]): Bill[] {
  const bill = (
    type: string,
    ago: number,
    { name, amount, owed }: { name: string; amount: string; owed?: Bill['owed'] | undefined },
  ): Bill => {
    const invoiceDate = addDays(ends[ago] ?? '', 17)
    const lines: Bill['lines'] = [chargeLine(type, name, amount, 'Credit for the month before')]
    return { ...US, platform: type, invoiceDate, lines, ...(owed ? { owed } : {}) }
  }
  return [
    bill('web-services', 5, {
      name: 'Service credit, managed relational database unavailable',
      amount: '-1284.37',
    }),
    bill('cloud-platform', 2, {
      name: 'Service credit, warehouse queries failed',
      amount: '-312.48',
      owed: { share: 1 },
    }),
  ]
}

function hasLines(bill: Omit<Bill, 'lines'> & { lines: NewLineItem[] }): bill is Bill {
  return bill.lines.length > 0
}
