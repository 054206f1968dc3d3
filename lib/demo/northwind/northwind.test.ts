import Big from 'big.js'
import { describe, expect, test } from 'vitest'
import { statusOf } from '#lib/billing/invoices/rules.ts'
import { dayOf, daysBetween } from '#lib/platform/values/days.ts'
import { assetsOf } from '../asset.ts'
import { northwind } from './northwind.ts'

// An ordinary day; a leap day; the last days of a long and of a short month; the first of a year.
const DAYS = ['2026-11-20', '2028-02-29', '2026-12-31', '2027-02-28', '2027-01-01']

// The console is demonstrated and tested with this customer: each case must exist on any day.
describe.each(DAYS)('the demo customer on %s', (today) => {
  const customer = northwind(today)
  const assets = assetsOf(customer, today)
  const suite = (type: string) => assets.filter((asset) => asset.type === type)
  const subscriptions = assets.flatMap(({ subscription }) => (subscription ? [subscription] : []))
  const { invoices } = customer
  const open = (invoice: (typeof invoices)[number]) =>
    statusOf(invoice.balanceAmount ?? '', invoice.dueDate, today)

  const days = (until: Date | null | undefined) => (until ? daysBetween(today, dayOf(until.getTime())) : -1)

  test.each([
    ['several subscriptions of one type', () => suite('workspace-suite').length > 3],
    ['an office suite', () => suite('office-suite').length > 1],
    ['a cloud platform', () => suite('cloud-platform').every(({ subscription }) => subscription === null)],
    ['web services', () => suite('web-services').length > 0],
    ['one with 0 seats', () => subscriptions.some(({ seats }) => seats.purchased === 0)],
    ['one without a free seat', () => full().length > 0],
    ['one with many idle seats', () => idle().length > 0],
    ['a flexible plan', () => subscribed('FLEXIBLE').some(({ status }) => status === 'ACTIVE')],
    ['an annual plan, paid monthly', () => subscribed('ANNUAL_MONTHLY_PAY').length > 0],
    ['an annual plan, paid yearly', () => subscribed('ANNUAL_YEARLY_PAY').length > 0],
    ['a trial', () => subscribed('TRIAL').length > 0],
    ['a suspended one', () => subscriptions.some(({ status }) => status === 'SUSPENDED')],
    ['a pending one', () => subscriptions.some(({ status }) => status === 'PENDING')],
    ['a cancelled one', () => subscriptions.some(({ status }) => status === 'CANCELLED')],
    ['a renewal soon', () => subscriptions.some((one) => isWithin(days(one.commitmentEnd), 1, 30))],
    ['a renewal far ahead', () => subscriptions.some((one) => isWithin(days(one.commitmentEnd), 60, 366))],
    ['a plan that renews by itself', () => renewing('AUTO_RENEW').length > 0],
    ['a plan that renews with the licenses in use', () => renewing('RENEW_CURRENT_USERS').length > 0],
    ['a plan that switches to flexible', () => renewing('SWITCH_TO_PAY_AS_YOU_GO').length > 0],
    ['a plan that ends', () => renewing('CANCEL').length > 0],
    ['a cap of the vendor’s own', () => subscriptions.some(({ seats }) => seats.maximum !== undefined)],
    ['a purchase order', () => subscriptions.some(({ purchaseOrderId }) => purchaseOrderId)],
    ['an over-long name', () => assets.some(({ name }) => name.length > 120)],
  ])('has assets with %s', (_, holds) => {
    expect(holds()).toBe(true)
  })

  const full = () => subscriptions.filter(({ seats }) => seats.assigned === seats.purchased && seats.assigned)
  const idle = () =>
    subscriptions.filter(({ seats }) => seats.assigned > 0 && seats.assigned * 3 < seats.purchased)
  const renewing = (how: string) => subscriptions.filter(({ renewalType }) => renewalType?.startsWith(how))
  const subscribed = (plan: string) => subscriptions.filter(({ planName }) => planName === plan)

  test.each([
    ['three years', () => daysBetween(invoices[0]?.invoiceDate ?? today, today) > 1050],
    ['four platforms', () => new Set(invoices.map(({ platform }) => platform)).size === 4],
    ['US dollars', () => invoices.some(({ currency }) => currency === 'USD')],
    ['euros', () => invoices.some(({ currency }) => currency === 'EUR')],
    [
      'yen, without decimals',
      () => invoices.some((one) => one.currency === 'JPY' && !/\./.test(one.totalAmount)),
    ],
    ['60 to 150 in all', () => isWithin(invoices.length, 60, 150)],
    [
      'one paid',
      () => invoices.some((one) => Number(one.totalAmount) > 0 && Number(one.balanceAmount) === 0),
    ],
    ['one open', () => invoices.some((one) => open(one) === 'OPEN' && one.balanceAmount === one.totalAmount)],
    [
      'one past due',
      () => invoices.some((one) => open(one) === 'PAST DUE' && one.balanceAmount === one.totalAmount),
    ],
    ['one open and partly paid', () => invoices.some((one) => open(one) === 'OPEN' && isPartlyPaid(one))],
    [
      'one past due and partly paid',
      () => invoices.some((one) => open(one) === 'PAST DUE' && isPartlyPaid(one)),
    ],
    ['one past due in each currency', () => pastDueCurrencies() >= 2],
    [
      'a credit that was set off',
      () => invoices.some((one) => Number(one.totalAmount) < 0 && Number(one.balanceAmount) === 0),
    ],
    [
      'a credit that is left',
      () => invoices.some((one) => Number(one.totalAmount) < 0 && one.balanceAmount === one.totalAmount),
    ],
    [
      'one that was overpaid',
      () => invoices.some((one) => Number(one.totalAmount) > 0 && Number(one.balanceAmount) < 0),
    ],
    [
      'one with a late fee',
      () => invoices.some((one) => Number(one.balanceAmount) > Number(one.totalAmount)),
    ],
    ['one that is not fully itemized', () => invoices.some((one) => linesOf(one).lt(one.totalAmount))],
    ['one with very many lines', () => invoices.some(({ lines }) => lines.length === 120)],
    [
      'a discount among its lines',
      () => invoices.some((one) => one.lines.some(({ price }) => Number(price) < 0)),
    ],
    ['each billing profile', () => new Set(invoices.map((one) => one.billingProfileId)).size === 3],
  ])('has invoices with %s', (_, holds) => {
    expect(holds()).toBe(true)
  })

  const pastDueCurrencies = () =>
    new Set(invoices.filter((one) => open(one) === 'PAST DUE').map(({ currency }) => currency)).size

  test.each([
    ['both roles', () => customer.members.some(({ roles }) => roles.length === 2)],
    ['no role', () => customer.members.some(({ roles }) => roles.length === 0)],
    [
      'one billing profile',
      () => customer.members.some(({ billingProfiles }) => billingProfiles?.length === 1),
    ],
  ])('has a member with %s', (_, holds) => {
    expect(holds()).toBe(true)
  })

  test('bills the seats of the time, by the name of the SKU', () => {
    const newest = invoices.findLast(({ platform }) => platform === 'workspace-suite')
    const billed = newest?.lines.map(({ description, qty }) => [description, Number(qty)])
    expect(billed).toContainEqual(['Business Plus', 240])
    expect(billed).toContainEqual(['Enterprise Standard', 60])
    const lines = invoices.flatMap((invoice) => invoice.lines)
    const seats = lines.filter(({ description }) => description === 'Business Plus').map(({ qty }) => qty)
    expect([...new Set(seats)].slice(-3)).toEqual(['200', '210', '240'])
  })
})

type Invoice = ReturnType<typeof northwind>['invoices'][number]

function linesOf({ lines }: Invoice): Big {
  return lines.reduce((sum, { price, qty }) => sum.plus(new Big(price).times(qty)), new Big(0))
}

function isPartlyPaid({ balanceAmount, totalAmount }: Invoice): boolean {
  return Number(balanceAmount) > 0 && Number(balanceAmount) < Number(totalAmount)
}

function isWithin(value: number, from: number, to: number): boolean {
  return value >= from && value <= to
}
