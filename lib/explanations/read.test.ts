import Big from 'big.js'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import type { Caller } from '#lib/access/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/db/test-database.ts'
import { addAsset, addInvoice, addNewCustomer, callerOf } from '#lib/db/test-rows.ts'
import { itemize } from '#lib/invoices/itemization.ts'
import { minorUnit } from '#lib/money.ts'
import { taxOf } from '#lib/posting/tax.ts'
import { MOST_PRODUCTS } from './lines.ts'
import { readExplanation } from './read.ts'

let database: TestDatabase
const suite = 'workspace-suite'

beforeAll(async () => {
  database = await testDatabase({ today: '2026-11-20' })
})
afterAll(() => database.close())

async function addChange(customer: string, asset: string, from: number, to: number, at: string) {
  await database.sql(
    customer,
    `INSERT INTO license_changes (customer_id, id, asset_id, from_quantity, to_quantity, state, actor_kind, actor_id,
       actor_name, request_id, created_at, moved_at, settled_at)
     VALUES ($1, gen_random_uuid()::text, $2, $3, $4, 'APPLIED', 'member', 'M1', 'Sam Okafor', 'r', $5, $5, $5)`,
    [customer, asset, from, to, at],
  )
}

describe('whatever two months bill', () => {
  const cents = (most: number, places: number) =>
    fc.integer({ min: -most, max: most }).map((units) => new Big(units).div(10 ** places).toFixed())
  const anyLine = fc.record({
    description: fc.constantFrom(
      'Business Plus',
      'Compute',
      'Storage',
      'Support, Oct 2026',
      'Support, Sep 2026',
    ),
    details: fc.constantFrom(null, '1 – 30 Sep 2026', 'Account 0925', 'Tax, 1 charge', '5 Oct – 20 Oct 2026'),
    price: cents(999_999, 4),
    qty: fc.oneof(fc.nat(40).map(String), cents(9_999, 3)),
    currency: fc.constantFrom(...Array(9).fill(undefined), 'CHF'),
  })
  const anyInvoice = fc.record({
    invoiceDate: fc.constantFrom(
      '2026-09-01',
      '2026-09-30',
      '2026-10-01',
      '2026-10-31',
      '2026-11-01',
      '2026-08-31',
    ),
    platform: fc.constantFrom(suite, 'cloud-platform'),
    currency: fc.constantFrom('USD', 'USD', 'JPY', 'KWD'),
    documentState: fc.constantFrom(...Array(9).fill('issued'), 'draft', 'voided'),
    // How its total comes about, and what it has beside.
    reading: fc.constantFrom('unit', 'rounded', 'line', 'else'),
    lines: fc.array(anyLine, { minLength: 1, maxLength: 5 }),
    // Where its tax stands, and who tells of it; `odd` is beside lines and total by a cent.
    tax: fc.constantFrom('none', 'none', 'within', 'beside', 'beside', 'odd'),
    told: fc.subarray(['netAmount', 'taxAmount', 'breakdown', 'lines', 'taxOfLines'], { minLength: 1 }),
  })

  it('the causes add up to the difference of the totals, per currency, to the last decimal', async () => {
    const customers: { id: string; caller: Caller; given: ReturnType<typeof totalled>[] }[] = []
    for (const given of fc.sample(fc.array(anyInvoice, { maxLength: 9 }), { numRuns: 40, seed: 14 })) {
      const id = await addNewCustomer()
      const made = given.map(totalled)
      await addAsset(id, `${suite}-1`, { purchased: 20 })
      await addChange(id, `${suite}-1`, 12, 20, '2026-10-09T08:00:00Z')
      for (const [index, { lines, ...invoice }] of made.entries())
        await addInvoice(id, `I-${index}`, { ...invoice, balanceAmount: '0', dueDate: '2026-12-31' }, lines)
      customers.push({ id, caller: await callerOf(id, 'admin'), given: made })
    }
    let seen = 0
    const kinds: Record<string, number> = {}
    for (const { caller, given } of customers) {
      const { currencies } = await readExplanation(caller, { month: '2026-10' })
      const issued = given.filter(({ documentState }) => documentState === 'issued')
      const of = (month: string, currency: string) =>
        issued.filter((one) => one.invoiceDate.startsWith(month) && one.currency === currency)
      const there = ['USD', 'JPY', 'KWD'].filter(
        (code) => [...of('2026-09', code), ...of('2026-10', code)].length > 0,
      )
      expect(currencies.map(({ currency }) => currency).sort()).toEqual(there.sort())
      for (const { currency, from, to, causes, tax } of currencies) {
        const total = (month: string) =>
          of(month, currency).reduce((sum, { totalAmount }) => sum.plus(totalAmount), new Big(0))
        const difference = total('2026-10').minus(total('2026-09')).toFixed()
        const sum = causes.reduce((all, { effect }) => all.plus(effect), new Big(0)).toFixed()
        expect([from.total.toFixed(), to.total.toFixed(), sum]).toEqual([
          total('2026-09').toFixed(),
          total('2026-10').toFixed(),
          difference,
        ])
        // What the lines leave out, and the tax that is beside them, is what `itemize` says.
        for (const kind of ['notItemized', 'tax', 'rounding'] as const) {
          const missing = (month: string) =>
            of(month, currency).reduce((all, one) => all.plus(itemized(one)[kind] ?? 0), new Big(0))
          const told = causes.filter((cause) => cause.kind === kind && cause.description === undefined)
          expect(told.reduce((all, { effect }) => all.plus(effect), new Big(0)).toFixed()).toBe(
            missing('2026-10').minus(missing('2026-09')).toFixed(),
          )
          if (told.length > 0) kinds[kind] = (kinds[kind] ?? 0) + 1
        }
        const beside = [...of('2026-09', currency), ...of('2026-10', currency)].some((one) => {
          const { tax = '0' } = itemized(one)
          return !new Big(tax).eq(0)
        })
        expect([undefined, 'IN_LINES'].includes(tax)).toBe(!beside)
        seen += causes.length
      }
    }
    expect(seen).toBeGreaterThan(100)
    expect(Math.min(kinds.tax ?? 0, kinds.rounding ?? 0, kinds.notItemized ?? 0)).toBeGreaterThan(5)
  })

  type Made = { currency: string; lines: { price: string; qty: string; currency?: string }[] }
  function itemized<Given extends Made & { totalAmount: string }>({ lines, ...invoice }: Given) {
    return itemize(
      invoice,
      lines.map((line) => ({ ...line, currency: line.currency ?? invoice.currency })),
    )
  }

  /** With a total that its lines add up to in one of the ways, or that has something beside. */
  function totalled<Given extends Made & { reading: string; tax: string; told: string[] }>(given: Given) {
    const { reading, tax, told, ...invoice } = given
    const places = minorUnit(invoice.currency)
    const own = invoice.lines.filter(({ currency }) => currency === undefined)
    const amounts = own.map(({ price, qty }) =>
      reading === 'line' ? new Big(price) : new Big(price).times(qty),
    )
    const sum = amounts.reduce(
      (all, one) => all.plus(reading === 'rounded' ? one.round(places) : one),
      new Big(0),
    )
    const net = (reading === 'else' ? sum.plus('7.77') : sum).round(places)
    const isTold = (what: string) => tax !== 'none' && told.includes(what)
    const lines = invoice.lines.map(({ currency, ...line }, index) => {
      const rate = index % 2 === 0 ? '19' : '7.5'
      const own = new Big(line.price).times(line.qty).times(rate).div(100).round(places).toFixed()
      return {
        ...line,
        ...(currency ? { currency } : {}),
        ...(isTold('lines') ? { taxCategory: 'S', taxRate: rate } : {}),
        ...(isTold('taxOfLines') && index % 3 < 2 ? { taxAmount: own } : {}),
      }
    })
    const ofLines = taxOf(
      { totalAmount: '0', currency: invoice.currency },
      lines.map((line) => ({ currency: invoice.currency, ...line })),
    )
    const amount = new Big(ofLines?.tax ?? net.times('0.19').round(places))
    const total = tax === 'beside' ? net.plus(amount) : tax === 'odd' ? net.plus(amount).plus('0.01') : net
    const base = tax === 'within' ? net.minus(amount) : net
    const group = { category: 'S', rate: '19', taxableAmount: base.toFixed(), taxAmount: amount.toFixed() }
    return {
      ...invoice,
      lines,
      totalAmount: total.round(places).toFixed(),
      ...(isTold('netAmount') ? { netAmount: base.toFixed() } : {}),
      ...(isTold('taxAmount') ? { taxAmount: amount.toFixed() } : {}),
      ...(isTold('breakdown') ? { taxBreakdown: [group] } : {}),
    }
  }
})

test('many products are a bounded answer that adds up, whatever else there is', async () => {
  const id = await addNewCustomer()
  const count = MOST_PRODUCTS + 700
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
  const [found] = (await readExplanation(await callerOf(id, 'finance-user'), { month: '2026-10' })).currencies
  const sum = found?.causes.reduce((all, { effect }) => all.plus(effect), new Big(0)).toFixed()
  expect(sum).toBe(String((3 * count * (count - 1)) / 2))
  expect(found?.causes).toHaveLength(MOST_PRODUCTS + 1)
  const smaller = found?.causes.find(({ kind }) => kind === 'smaller')
  // Alike are the first product, and the line that each invoice of a test has.
  expect([smaller?.products, found?.unchanged]).toEqual([count - MOST_PRODUCTS - 1, 2])
})
