import Big from 'big.js'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addInvoice, addNewCustomer, callerOf } from '#lib/platform/db/test-rows.ts'
import { MAX_PRODUCTS } from './lines.ts'
import { readExplanation } from './read.ts'
import { anyInvoice, itemized, type Made, totalled } from './test-invoices.ts'

let database: TestDatabase
const suite = 'workspace-suite'

beforeAll(async () => {
  database = await testDatabase({ today: '2026-11-20' })
})
afterAll(() => database.close())

async function addChange(
  customer: string,
  { asset, from, to, at }: { asset: string; from: number; to: number; at: string },
) {
  await database.sql(
    customer,
    `INSERT INTO license_changes (customer_id, id, asset_id, from_quantity, to_quantity, state, actor_kind, actor_id,
       actor_name, request_id, created_at, moved_at, settled_at)
     VALUES ($1, gen_random_uuid()::text, $2, $3, $4, 'APPLIED', 'member', 'M1', 'Sam Okafor', 'r', $5, $5, $5)`,
    [customer, asset, from, to, at],
  )
}

/** A new rate of the tax beside lines is a part of that tax. */
const kindOf = ({ kind }: { kind: string }) => (kind === 'taxRate' ? 'tax' : kind)
const KINDS = ['notItemized', 'tax', 'rounding'] as const

const issuedOf = (madeInvoices: readonly Made[]) => (month: string, currency: string) =>
  madeInvoices.filter(
    (one) => one.documentState === 'issued' && one.invoiceDate.startsWith(month) && one.currency === currency,
  )

const totalOf = (invoices: readonly Made[]) =>
  invoices.reduce((sum, { totalAmount }) => sum.plus(totalAmount), new Big(0))

/** What invoices have beside their lines, by the rule of `itemize`. */
const outsideLines = (kind: (typeof KINDS)[number], invoices: readonly Made[]) =>
  invoices.reduce((sum, one) => sum.plus(itemized(one)[kind] ?? 0), new Big(0))

const sumOf = (causes: readonly { effect: Big }[]) =>
  causes.reduce((sum, { effect }) => sum.plus(effect), new Big(0)).toFixed()

describe('whatever two months bill', () => {
  it('the causes add up to the difference of the totals, per currency, to the last decimal', async () => {
    const customers: { id: string; caller: Caller; madeInvoices: Made[] }[] = []
    for (const sampledInvoices of fc.sample(fc.array(anyInvoice, { maxLength: 9 }), {
      numRuns: 40,
      seed: 14,
    })) {
      const id = await addNewCustomer()
      const made = sampledInvoices.map(totalled)
      await addAsset(id, `${suite}-1`, { purchased: 20 })
      await addChange(id, { asset: `${suite}-1`, from: 12, to: 20, at: '2026-10-09T08:00:00Z' })
      for (const [index, { lines, ...invoice }] of made.entries())
        await addInvoice(id, `I-${index}`, { ...invoice, balanceAmount: '0', dueDate: '2026-12-31' }, lines)
      customers.push({ id, caller: await callerOf(id, 'admin'), madeInvoices: made })
    }
    let seen = 0
    const kinds = { notItemized: 0, tax: 0, rounding: 0 }
    for (const { caller, madeInvoices } of customers) {
      const { currencies } = await readExplanation(caller, { month: '2026-10' })
      const issuedIn = issuedOf(madeInvoices)
      const there = ['USD', 'JPY', 'KWD'].filter(
        (code) => [...issuedIn('2026-09', code), ...issuedIn('2026-10', code)].length > 0,
      )
      expect(currencies.map(({ currency }) => currency).sort()).toEqual(there.sort())
      for (const { currency, from, to, causes, tax } of currencies) {
        const total = (month: string) => totalOf(issuedIn(month, currency))
        const difference = total('2026-10').minus(total('2026-09')).toFixed()
        const sum = sumOf(causes)
        expect([from.total.toFixed(), to.total.toFixed(), sum]).toEqual([
          total('2026-09').toFixed(),
          total('2026-10').toFixed(),
          difference,
        ])
        // What the lines leave out, and the tax that is beside them, is what `itemize` says.
        const months = { from: issuedIn('2026-09', currency), to: issuedIn('2026-10', currency) }
        for (const kind of KINDS) {
          const explained = sumOf(
            causes.filter((one) => kindOf(one) === kind && one.description === undefined),
          )
          expect(explained).toBe(
            outsideLines(kind, months.to).minus(outsideLines(kind, months.from)).toFixed(),
          )
          kinds[kind] += Number(explained !== '0')
        }
        const isOutside = [...months.from, ...months.to].some((one) => !outsideLines('tax', [one]).eq(0))
        expect(['BESIDE_LINES', 'BOTH'].includes(tax ?? '')).toBe(isOutside)
        seen += causes.length
      }
    }
    expect(seen).toBeGreaterThan(100)
    expect(Math.min(...Object.values(kinds))).toBeGreaterThan(5)
  })
})

test('many products are a bounded answer that adds up, whatever else there is', async () => {
  const id = await addNewCustomer()
  const count = MAX_PRODUCTS + 700
  for (const [name, day, plus] of [
    ['SEP', '2026-09-30', 0],
    ['OCT', '2026-10-31', 1],
  ] as const) {
    await addInvoice(id, name, {
      invoiceDate: day,
      dueDate: '2026-12-31',
      totalAmount: '0',
      balanceAmount: '0',
    })
    await database.sql(
      id,
      `INSERT INTO line_items (customer_id, invoice_id, position, type, description, price, qty, currency, details)
       SELECT $1, $2, 1 + n, 'cloud-platform', 'Product ' || n % $3, 1 + $4 * (n % $3), 1, 'USD', 'Resource ' || n
       FROM generate_series(0, 3 * $3 - 1) AS n`,
      [id, name, count, plus],
    )
    await database.sql(
      id,
      `UPDATE invoices SET total_amount = (SELECT sum(price * qty) FROM line_items WHERE invoice_id = invoices.id)
       WHERE customer_id = $1 AND id = $2`,
      [id, name],
    )
  }
  const [explanation] = (await readExplanation(await callerOf(id, 'finance-user'), { month: '2026-10' }))
    .currencies
  const sum = explanation?.causes.reduce((all, { effect }) => all.plus(effect), new Big(0)).toFixed()
  expect(sum).toBe(String((3 * count * (count - 1)) / 2))
  expect(explanation?.causes).toHaveLength(MAX_PRODUCTS + 1)
  const smaller = explanation?.causes.find(({ kind }) => kind === 'smaller')
  // Alike are the first product, and the line that each invoice of a test has.
  expect([smaller?.products, explanation?.unchanged]).toEqual([count - MAX_PRODUCTS - 1, 2])
})
