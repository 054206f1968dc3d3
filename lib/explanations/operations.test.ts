import Big from 'big.js'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest'
import type { Caller } from '#lib/access/rules.ts'
import { route } from '#lib/api/endpoint.ts'
import { type TestDatabase, testDatabase } from '#lib/db/test-database.ts'
import {
  addAsset,
  addCustomer,
  addInvoice,
  addKey,
  addMember,
  addNewCustomer,
  addProfile,
  callerOf,
} from '#lib/db/test-rows.ts'
import { run } from '#lib/db/test-server.ts'
import { itemize } from '#lib/invoices/itemization.ts'
import { minorUnit } from '#lib/money.ts'
import { MOST_PRODUCTS } from './lines.ts'
import { explainMonth, exportExplanation } from './operations.ts'
import { readExplanation } from './read.ts'

let database: TestDatabase
const keys = { finance: '', admin: '', it: '', emea: '', eve: '' }
const suite = 'workspace-suite'

beforeAll(async () => {
  vi.stubEnv('BASE_URL', 'https://console.example')
  database = await testDatabase({ today: '2026-11-20' })
  for (const id of ['northwind', 'southwind']) await addCustomer(id)
  await addProfile('northwind', 'emea')
  await addAsset('northwind', `${suite}-1`, { purchased: 60 }, { skuName: 'Business Plus' })
  await addChange('northwind', `${suite}-1`, 52, 60, '2026-10-20T10:00:00Z')
  const add = (id: string, invoiceDate: string, given: object, lines?: Parameters<typeof addInvoice>[3]) =>
    addInvoice('northwind', id, { invoiceDate, dueDate: '2026-12-31', ...given }, lines)
  const seats = (qty: string) => [
    { description: 'Business Plus', price: '22.47', qty },
    { description: '=Support', price: '10' },
  ]
  await add('SEP', '2026-09-30', { platform: suite, totalAmount: '1178.44' }, seats('52'))
  await add('OCT', '2026-10-31', { platform: suite, totalAmount: '1358.20' }, seats('60'))
  await add('OCT-yen', '2026-10-01', { currency: 'JPY', totalAmount: '901' }, [{ price: '900' }])
  await add('OCT-emea', '2026-10-15', { billingProfileId: 'emea', totalAmount: '5' }, [{ price: '5' }])
  await add('DRAFT', '2026-10-31', { documentState: 'draft', balanceAmount: '0' })
  await add('VOIDED', '2026-09-30', { documentState: 'voided', balanceAmount: '0' })
  await addInvoice('southwind', 'S', { invoiceDate: '2026-10-31' })
  keys.finance = await addKey('northwind', ['finance-user'])
  keys.admin = await addKey('northwind', ['admin'])
  keys.it = await addKey('northwind', ['it-manager'])
  keys.eve = await addKey('southwind', ['admin'])
  const issuedBy = await addMember('northwind', { roles: ['finance-user'], billingProfiles: ['emea'] })
  keys.emea = await addKey('northwind', ['finance-user'], { issuedBy })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await database.close()
})

function addChange(customer: string, asset: string, from: number, to: number, at: string) {
  return database.sql(
    customer,
    `INSERT INTO license_changes (customer_id, id, asset_id, from_quantity, to_quantity, state, actor_kind, actor_id,
       actor_name, request_id, created_at, moved_at, settled_at)
     VALUES ($1, gen_random_uuid()::text, $2, $3, $4, 'APPLIED', 'member', 'M1', 'Sam Okafor', 'r', $5, $5, $5)`,
    [customer, asset, from, to, at],
  )
}

type Asking = { key?: string; csv?: boolean; method?: 'GET' | 'HEAD' | 'PATCH' }
function ask(search: string, { key = keys.finance, csv = false, method = 'GET' }: Asking = {}) {
  const path = `/billing/v1/invoice-explanation${csv ? '.csv' : ''}?${search}`
  const headers: Record<string, string> = key ? { Authorization: `Bearer ${key}` } : {}
  return route(csv ? exportExplanation : explainMonth)[method](
    new Request(`http://console.example${path}`, { method, headers }),
  )
}

describe('GET /billing/v1/invoice-explanation', () => {
  const seats = {
    cause: 'licenses',
    platform: suite,
    product: 'Business Plus',
    effectAmount: 179.76,
    change: {
      ...{ at: Date.parse('2026-10-20T10:00:00Z'), from: 52, to: 60, sure: true },
      ...{ billed: 'wholePeriod', days: 12, ofDays: 31, daysAmount: 69.58 },
    },
  }

  it('tells the causes of each currency; who changed licenses only to those who see assets', async () => {
    const response = await ask('month=2026-10')
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      month: Date.parse('2026-10-01'),
      previousMonth: Date.parse('2026-09-01'),
      currencies: [
        {
          ...{ currency: 'USD', fromCount: 1, toCount: 2, fromAmount: 1178.44, toAmount: 1363.2 },
          ...{ effectAmount: 184.76, unchangedCount: 1 },
          causes: [
            seats,
            {
              ...{ cause: 'new', platform: 'cloud-platform', product: 'Usage', effectAmount: 5 },
              ...{ fromQty: 0, toQty: 1 },
            },
          ],
        },
        {
          ...{ currency: 'JPY', fromCount: 0, toCount: 1, fromAmount: 0, toAmount: 901 },
          ...{ effectAmount: 901, unchangedCount: 0 },
          causes: [
            {
              ...{ cause: 'new', platform: 'cloud-platform', product: 'Usage', effectAmount: 900 },
              ...{ fromQty: 0, toQty: 1 },
            },
            { cause: 'notItemized', platform: 'cloud-platform', effectAmount: 1 },
          ],
        },
      ],
      months: [Date.parse('2026-10-01'), Date.parse('2026-09-01')],
    })
    const { currencies } = await (await ask('month=2026-10', { key: keys.admin })).json()
    expect(currencies[0].causes[0]).toEqual({ ...seats, change: { ...seats.change, by: 'Sam Okafor' } })
  })

  it('of what the filter selects', async () => {
    const { currencies } = await (await ask('month=2026-10&filter=platform:workspace-suite')).json()
    expect(currencies).toMatchObject([{ currency: 'USD', effectAmount: 179.76 }])
    const { currencies: none } = await (await ask('month=2026-10&filter=issuer:Nobody')).json()
    expect(none).toEqual([])
  })

  it.each(['2026-08', '1970-01', '9999-12'])('of %s, in which there is nothing', async (month) => {
    const response = await ask(`month=${month}`)
    expect([response.status, (await response.json()).currencies]).toEqual([200, []])
  })

  it('what is gone, in the month after', async () => {
    const { currencies } = await (await ask('month=2026-11&filter=currency:JPY')).json()
    expect(currencies).toMatchObject([{ fromAmount: 901, toAmount: 0, effectAmount: -901 }])
    expect(currencies[0].causes.map(({ cause }: { cause: string }) => cause)).toEqual(['gone', 'notItemized'])
  })

  it.each([
    ['', 'month: must be a month, as in 2026-10'],
    ['month=', 'month: must be a month, as in 2026-10'],
    ['month=2026-13', 'month: must be a month, as in 2026-10'],
    ['month=2026-1', 'month: must be a month, as in 2026-10'],
    ['month=1969-12', 'month: must be a month, as in 2026-10'],
    ['month=2026-10-01', 'month: must be a month, as in 2026-10'],
    ['month=2026-10&month=2026-09', 'month: is given more than once'],
    ['month=2026-10&filter=status:OPEN', expect.stringContaining('knows these keys only')],
  ])('%s: 400 %s', async (search, detail) => {
    for (const csv of [false, true]) {
      const response = await ask(search, { csv })
      expect([response.status, (await response.json()).detail]).toEqual([400, detail])
    }
  })

  it.each([
    ['no key', () => '', 401],
    ['a role without invoices', () => keys.it, 403],
    ['an Admin', () => keys.admin, 200],
  ])('%s: %s', async (_, key, status) => {
    for (const csv of [false, true])
      expect((await ask('month=2026-10', { csv, key: key() })).status).toBe(status)
  })

  it('a limited member sees what is theirs, another customer what is its own', async () => {
    const of = async (key: string) => (await (await ask('month=2026-10', { key })).json()).currencies
    expect(await of(keys.emea)).toMatchObject([{ currency: 'USD', fromCount: 0, effectAmount: 5 }])
    expect(await of(keys.eve)).toMatchObject([{ currency: 'USD', toCount: 1, effectAmount: 10 }])
  })

  it('the customer is named in every statement', async () => {
    const tables = ['invoices', 'line_items', 'invoice_sums', 'assets', 'license_changes']
    const rows = (state: string) =>
      run(database.url, tables.map((table) => `ALTER TABLE ${table} ${state} ROW LEVEL SECURITY`).join(';'))
    await rows('DISABLE')
    try {
      const eve = await (await ask('month=2026-10', { key: keys.eve })).json()
      expect(eve).toMatchObject({ currencies: [{ effectAmount: 10 }], months: [Date.parse('2026-10-01')] })
    } finally {
      await rows('ENABLE')
    }
  })

  it('HEAD answers no body, PATCH is not known', async () => {
    for (const csv of [false, true]) {
      const head = await ask('month=2026-10', { csv, method: 'HEAD' })
      expect([head.status, await head.text()]).toEqual([200, ''])
      expect((await ask('month=2026-10', { csv, method: 'PATCH' })).status).toBe(405)
    }
  })
})

test('GET /billing/v1/invoice-explanation.csv has the same causes, formulas disarmed', async () => {
  const response = await ask('month=2026-11', { csv: true, key: keys.admin })
  expect(response.headers.get('content-disposition')).toContain('filename="explanation-2026-11.csv"')
  const rows: Record<string, string>[] = parse(await response.text(), { bom: true, columns: true })
  expect(rows.map((row) => [row.currency, row.product, row.cause, row.effectAmount])).toEqual([
    ['USD', 'Business Plus', 'gone', '-1348.20'],
    ['USD', "'=Support", 'gone', '-10.00'],
    ['USD', 'Usage', 'gone', '-5.00'],
    ['JPY', 'Usage', 'gone', '-900'],
    ['JPY', '', 'notItemized', '-1'],
  ])
  const [seats] = parse(await (await ask('month=2026-10', { csv: true, key: keys.admin })).text(), {
    ...{ bom: true, columns: true },
  }) as Record<string, string>[]
  expect(seats).toMatchObject({
    ...{ cause: 'licenses', effectAmount: '179.76', changedOn: '2026-10-20', changedBy: 'Sam Okafor' },
    ...{ fromLicenses: '52', toLicenses: '60', billed: 'wholePeriod', days: '12', daysAmount: '69.58' },
  })
})

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
    for (const { caller, given } of customers) {
      const { currencies } = await readExplanation(caller, { month: '2026-10' })
      const issued = given.filter(({ documentState }) => documentState === 'issued')
      const of = (month: string, currency: string) =>
        issued.filter((one) => one.invoiceDate.startsWith(month) && one.currency === currency)
      const there = ['USD', 'JPY', 'KWD'].filter(
        (code) => [...of('2026-09', code), ...of('2026-10', code)].length > 0,
      )
      expect(currencies.map(({ currency }) => currency).sort()).toEqual(there.sort())
      for (const { currency, from, to, causes } of currencies) {
        const total = (month: string) =>
          of(month, currency).reduce((sum, { totalAmount }) => sum.plus(totalAmount), new Big(0))
        const difference = total('2026-10').minus(total('2026-09')).toFixed()
        const sum = causes.reduce((all, { effect }) => all.plus(effect), new Big(0)).toFixed()
        expect([from.total.toFixed(), to.total.toFixed(), sum]).toEqual([
          total('2026-09').toFixed(),
          total('2026-10').toFixed(),
          difference,
        ])
        // What the lines leave out is what `itemize` says.
        const missing = (month: string) =>
          of(month, currency).reduce((all, one) => all.plus(itemized(one).notItemized), new Big(0))
        const told = causes.filter(({ kind }) => kind === 'notItemized')
        expect(told.reduce((all, { effect }) => all.plus(effect), new Big(0)).toFixed()).toBe(
          missing('2026-10').minus(missing('2026-09')).toFixed(),
        )
        seen += causes.length
      }
    }
    expect(seen).toBeGreaterThan(100)
  })

  type Made = { currency: string; lines: { price: string; qty: string; currency?: string }[] }
  function itemized<Given extends Made & { totalAmount: string }>({ lines, ...invoice }: Given) {
    return itemize(
      invoice,
      lines.map((line) => ({ ...line, currency: line.currency ?? invoice.currency })),
    )
  }

  /** With a total that its lines add up to in one of the ways, or that has something beside. */
  function totalled<Given extends Made & { reading: string }>({ reading, ...invoice }: Given) {
    const places = minorUnit(invoice.currency)
    const own = invoice.lines.filter(({ currency }) => currency === undefined)
    const amounts = own.map(({ price, qty }) =>
      reading === 'line' ? new Big(price) : new Big(price).times(qty),
    )
    const sum = amounts.reduce(
      (all, one) => all.plus(reading === 'rounded' ? one.round(places) : one),
      new Big(0),
    )
    const total = reading === 'else' ? sum.plus('7.77') : sum
    const lines = invoice.lines.map(({ currency, ...line }) => ({
      ...line,
      ...(currency ? { currency } : {}),
    }))
    return { ...invoice, lines, totalAmount: total.round(places).toFixed() }
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
