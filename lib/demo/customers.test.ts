import Big from 'big.js'
import { describe, expect, test } from 'vitest'
import { daysBetween } from '#lib/platform/values/days.ts'
import { minorUnit } from '#lib/platform/values/money.ts'
import { assetsOf } from './asset.ts'
import { addMonths } from './calendar.ts'
import { demoCustomers } from './customers.ts'
import { freight } from './freight/freight.ts'
import { studio } from './studio.ts'

const TODAY = '2026-11-20'
// A leap day, the last day of a long and of a short month, the first of a year.
const DAYS = [TODAY, '2028-02-29', '2026-12-31', '2027-02-28', '2027-01-01']
const customers = demoCustomers(TODAY)

test('The same day yields the same customers, another day different ones', () => {
  expect(demoCustomers(TODAY)).toEqual(customers)
  expect(demoCustomers('2026-12-01')[0].invoices).not.toEqual(customers[0].invoices)
})

describe.each(customers)('$name', (customer) => {
  const { domain, members, billingProfiles, invoices } = customer
  const assets = assetsOf(customer, TODAY)

  test('has a domain under a reserved TLD, used by its members', () => {
    const addresses = [customer.contactEmail, ...members.map(({ email }) => email)]
    expect(domain).toMatch(/\.example$/)
    expect(addresses.filter((address) => !address.endsWith(`@${domain}`))).toEqual([])
    expect(new Set(addresses).size).toBe(addresses.length)
  })

  test('has each role', () => {
    expect(new Set(members.flatMap(({ roles }) => roles))).toEqual(
      new Set(['it-manager', 'finance-user', 'admin']),
    )
  })

  test('has unique ids, and an asset’s id starts with its type', () => {
    expect(new Set(invoices.map(({ number }) => number)).size).toBe(invoices.length)
    expect(new Set(assets.map(({ id }) => id)).size).toBe(assets.length)
    expect(assets.filter(({ id, type }) => !id.startsWith(`${type}-`))).toEqual([])
  })

  test('has invoices of the last three years, for its own profiles, with address and tax id', () => {
    const profiles = new Set(billingProfiles.map(({ id }) => id))
    expect(invoices.filter(({ billingProfileId = '' }) => !profiles.has(billingProfileId))).toEqual([])
    expect(billingProfiles.filter(({ address, taxId }) => !address || !taxId)).toEqual([])
    const first = addMonths(TODAY, -37)
    const issued = invoices.filter(({ documentState }) => documentState !== 'draft')
    expect(issued.filter((one) => one.invoiceDate < first || one.invoiceDate > TODAY)).toEqual([])
    expect(invoices.filter((one) => one.dueDate < one.invoiceDate)).toEqual([])
  })

  test('has lines with whole amounts that add up to the total, except for one invoice', () => {
    const odd = invoices.filter((invoice) => {
      const unit = minorUnit(invoice.currency)
      const amounts = invoice.lines.map(({ price, qty }) => new Big(price).times(qty))
      expect(amounts.filter((amount) => !amount.eq(amount.round(unit)))).toEqual([])
      return !amounts.reduce((sum, amount) => sum.plus(amount), new Big(0)).eq(invoice.totalAmount)
    })
    expect(odd).toHaveLength(customer.name === 'Northwind Labs' ? 1 : 0)
  })

  test('has realistic amounts instead of round ones', () => {
    const round = invoices.filter(({ totalAmount }) => /00\.00$/.test(totalAmount))
    expect(round.length).toBeLessThan(invoices.length / 30)
  })

  test('has possible numbers of seats', () => {
    const seats = assets.flatMap(({ subscription }) => (subscription ? [subscription.seats] : []))
    expect(seats.filter(({ purchased, assigned }) => assigned > purchased || assigned < 0)).toEqual([])
    expect(seats.filter(({ purchased, maximum = purchased }) => maximum < purchased)).toEqual([])
  })

  test('has seat changes by its own members, oldest first, none in the future', () => {
    const names = members.map(({ name }) => name)
    for (const { boughtOn, changes = [] } of customer.purchases) {
      const days = [boughtOn, ...changes.map(({ on }) => on), TODAY]
      expect(days).toEqual([...days].sort())
      expect(changes.filter(({ by }) => !names.includes(by))).toEqual([])
    }
  })

  test('never lowers a commitment within its term', () => {
    const lowered = customer.purchases.filter(({ renewsOn, seats, changes = [] }) => {
      if (!renewsOn) return false
      const totals = [seats.first, ...changes.filter(({ refused }) => !refused).map(({ to }) => to)]
      return totals.some((total, index) => total < (totals[index - 1] ?? 0))
    })
    expect(lowered).toEqual([])
  })
})

test('The mid-sized customer is billed in euros and has paid nearly all', () => {
  const { invoices } = studio(TODAY)
  expect(new Set(invoices.map(({ currency }) => currency))).toEqual(new Set(['EUR']))
  expect(invoices.filter(({ balanceAmount }) => balanceAmount !== '0.00')).toHaveLength(1)
})

describe.each(DAYS)('the largest customer on %s', (today) => {
  const customer = freight(today)
  test('has 5,000 invoices over three years and assets for more than a page', () => {
    expect(customer.invoices).toHaveLength(5000)
    const [first, last] = [customer.invoices.at(0), customer.invoices.at(-1)]
    expect(daysBetween(first?.invoiceDate ?? today, today)).toBeGreaterThan(1050)
    expect(daysBetween(last?.invoiceDate ?? '', today)).toBeLessThan(7)
    expect(assetsOf(customer, today).length).toBeGreaterThan(50)
  })
})

test('The largest customer has a smaller version with its newest invoices', () => {
  expect(freight(TODAY, { invoices: 7 }).invoices).toEqual(freight(TODAY).invoices.slice(-7))
  expect(freight(TODAY, { invoices: 0 }).invoices).toEqual([])
})
