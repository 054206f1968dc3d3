import Big from 'big.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { summarizeInvoices } from '#lib/billing/invoices/operations.ts'
import { explainMonth } from '#lib/costs/explanations/operations.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { callerOf } from '#lib/platform/db/test-rows.ts'
import { dayOf } from '#lib/platform/values/days.ts'
import { demoCustomers } from './customers.ts'
import { loadDemo } from './load.ts'

// Results of the screen "Month comparison" for the demo customers.

const TODAY = '2026-11-20'
const requestMeta = { requestId: 'test' }
let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase({ today: TODAY })
  await loadDemo(demoCustomers(TODAY, { largest: 400 }), TODAY)
})
afterAll(() => database.close())

const explained = async (caller: Caller, month: string) =>
  (await explainMonth(caller, { params: {}, query: { month }, body: undefined }, requestMeta)).body

describe.each(['northwind-labs', 'lindenhof', 'halvorsen'])('%s', (customer) => {
  test('The causes of each month add up to its difference, equal to the stored sums', async () => {
    const caller = await callerOf(customer, 'admin')
    const { body } = await summarizeInvoices(caller, { params: {}, query: {}, body: undefined }, requestMeta)
    const totals = new Map(
      body.currencies.flatMap(({ currency, months }) =>
        months.map(({ month, totalAmount }) => [`${currency} ${month}`, totalAmount] as const),
      ),
    )
    const { months } = await explained(caller, '2026-10')
    expect(months.length).toBeGreaterThan(3)
    let [causes, taxed] = [0, 0]
    for (const month of months) {
      const { previousMonth, currencies } = await explained(caller, dayOf(month).slice(0, 7))
      for (const one of currencies) {
        const total = (at: number) => totals.get(`${one.currency} ${at}`) ?? 0
        const sum = one.causes.reduce((all, { effectAmount }) => all.plus(effectAmount), new Big(0))
        const difference = new Big(total(month)).minus(total(previousMonth))
        expect([dayOf(month), one.currency, sum.toFixed()]).toEqual([
          dayOf(month),
          one.currency,
          difference.toFixed(),
        ])
        expect([one.fromAmount, one.toAmount]).toEqual([total(previousMonth), total(month)])
        // Its issuers bill lines with tax: no tax is added to them, and the answer marks lines with tax.
        expect(one.causes.filter(({ cause, product }) => cause === 'tax' && !product)).toEqual([])
        expect([undefined, 'IN_LINES']).toContain(one.tax)
        taxed += Number(one.tax === 'IN_LINES')
        causes += one.causes.length
      }
    }
    expect(causes).toBeGreaterThan(20)
    expect(taxed).toBeGreaterThan(0)
  })
})

test('October and September of Northwind: who changed which licenses, and that the whole month is billed', async () => {
  const caller = await callerOf('northwind-labs', 'admin')
  const changes = async (month: string) =>
    (await explained(caller, month)).currencies.flatMap(({ causes }) =>
      causes.flatMap(({ product, effectAmount, change }) =>
        change ? [[product?.slice(0, 19), effectAmount, change.by, change.billed, change.days]] : [],
      ),
    )
  expect(await changes('2026-10')).toEqual([['Enterprise Standard', 179.76, 'Sam Okafor', 'wholePeriod', 14]])
  expect(await changes('2026-09')).toEqual([
    ['Enterprise Plus for', 884.8, 'Ana Ruiz', 'wholePeriod', 7],
    ['Frontline Starter', -86.2, 'Sam Okafor', 'wholePeriod', 28],
  ])
})
