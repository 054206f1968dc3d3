import { expect, it } from 'vitest'
import { sumInvoices } from '#lib/billing/invoices/sums/summary.ts'
import { readNeeds } from '#lib/notifications/needs/read.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { addProfile, callerOf } from '#lib/platform/db/test-rows.ts'
import { Exact } from '#lib/platform/values/decimals.ts'
import { moneyText } from '#lib/platform/values/money.ts'
import { customerId, onStage, stage } from './test-stage.ts'

onStage()

/** Invoices past due, and their sum, by currency. */
type Sums = Record<string, { count: number; amount: string }>

/** Returns the sums of home, of the list, and of the heading of the last mail. */
async function pastDueSums(): Promise<{ home: Sums; list: Sums; mail: string | undefined }> {
  const caller = await callerOf(customerId, 'admin')
  const [{ needs }, { outstanding }] = await scope(caller, async (tx) => [
    await readNeeds(tx, caller),
    await sumInvoices(tx, caller, { filter: { status: ['PAST DUE'] } }),
  ])
  const home: Sums = {}
  for (const need of needs)
    if (need.kind === 'past-due') {
      const { currency, count, amount } = need.pastDue
      const sum = home[currency] ?? { count: 0, amount: '0' }
      home[currency] = { count: sum.count + count, amount: new Exact(sum.amount).plus(amount).toFixed() }
    }
  const list = Object.fromEntries(
    outstanding.map(({ currency, due_count: count, due }) => [
      currency,
      { count, amount: new Exact(due).toFixed() },
    ]),
  )
  const mail = /^Past due: .*$/m.exec(stage.taken().at(-1)?.text ?? '')?.[0]
  return { home, list, mail }
}

/** Returns the heading of a mail with these sums. */
function headingOf(sums: Sums): string {
  const amounts = Object.entries(sums)
    .sort()
    .map(([currency, { amount }]) => moneyText(amount, currency))
  const count = Object.values(sums).reduce((total, sum) => total + sum.count, 0)
  return `Past due: ${count} invoices, ${amounts.join(' and ')}`
}

it('A mail, home and the list report the same past-due invoices, whatever earlier mails have reported', async () => {
  await addProfile(customerId, 'emea')
  for (const profile of ['default', 'emea']) await stage.add(customerId, 'ap@books.example', { profile })
  const euro = { billingProfileId: 'emea', currency: 'EUR' }
  await stage.invoice(customerId, 'PARTLY', -3, { totalAmount: '40', balanceAmount: '12.345' })
  await stage.invoice(customerId, 'EURO', -9, { ...euro, totalAmount: '5', balanceAmount: '5' })
  await stage.invoice(customerId, 'LEAST', -3, { balanceAmount: '0.004' })
  await stage.invoice(customerId, 'LEAST-EURO', -3, { ...euro, balanceAmount: '0.004' })
  await stage.invoice(customerId, 'PAID', -3, { balanceAmount: '0' })
  await stage.invoice(customerId, 'CREDITED', -3, { totalAmount: '100', balanceAmount: '100' })
  await stage.invoice(customerId, 'OFFSET', -3)
  const credit = (amount: string, corrects?: string) => ({
    totalAmount: amount,
    balanceAmount: amount,
    ...(corrects ? { corrects } : {}),
  })
  await stage.invoice(customerId, 'CN-1', -1, credit('-30', 'CREDITED'))
  await stage.invoice(customerId, 'CN-2', -1, credit('-10', 'OFFSET'))
  await stage.invoice(customerId, 'CN-3', -1, credit('-7'))
  await stage.invoice(customerId, 'DRAFT', -3, { documentState: 'draft', balanceAmount: '0' })
  await stage.invoice(customerId, 'VOIDED', -3, { documentState: 'voided', balanceAmount: '0' })
  await stage.invoice(customerId, 'TODAY', 0)
  // A mail with the others names it, although it causes none itself.
  await stage.invoice(customerId, 'HISTORY', -200, { isHistory: true })
  await stage.run()
  const first = await pastDueSums()
  expect(first.list).toEqual({ EUR: { count: 1, amount: '5' }, USD: { count: 3, amount: '92.35' } })
  expect(first.home).toEqual(first.list)
  expect(first.mail).toBe(headingOf(first.list))

  // The invoice of the day before is past due now, and those of the first mail still are.
  await stage.passDays(1)
  await stage.run()
  const second = await pastDueSums()
  expect(second.list).toEqual({ EUR: { count: 1, amount: '5' }, USD: { count: 4, amount: '102.35' } })
  expect(second.home).toEqual(second.list)
  expect(second.mail).toBe(headingOf(second.list))
  // Of the second mail, only its cause is written down.
  const recorded = await stage.database.sql(
    customerId,
    `SELECT invoice_id FROM notices WHERE kind = 'past-due' AND told_on = (SELECT max(told_on) FROM notices)`,
  )
  expect(recorded).toEqual([{ invoice_id: 'TODAY' }])
  const named = await stage.database.sql(customerId, `SELECT FROM notices WHERE invoice_id = 'HISTORY'`)
  expect(named).toHaveLength(1)
})
