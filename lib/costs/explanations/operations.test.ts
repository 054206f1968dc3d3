import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest'
import { route } from '#lib/platform/api/endpoint.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import {
  addAsset,
  addCustomer,
  addInvoice,
  addKey,
  addMember,
  addProfile,
} from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { explainMonth, exportExplanation } from './operations.ts'

let database: TestDatabase
const keys = { finance: '', admin: '', it: '', emea: '', eve: '' }
const suite = 'workspace-suite'

beforeAll(async () => {
  vi.stubEnv('BASE_URL', 'https://console.example')
  database = await testDatabase({ today: '2026-11-20' })
  for (const id of ['northwind', 'southwind']) await addCustomer(id)
  await addProfile('northwind', 'emea')
  await addAsset('northwind', `${suite}-1`, { purchased: 60 }, { skuName: 'Business Plus' })
  await addChange('northwind', { assetId: `${suite}-1`, from: 52, to: 60, at: '2026-10-20T10:00:00Z' })
  const add = (
    id: string,
    invoiceDate: string,
    overrides: object,
    lines?: Parameters<typeof addInvoice>[3],
  ) => addInvoice('northwind', id, { invoiceDate, dueDate: '2026-12-31', ...overrides }, lines)
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

type SeatChange = { assetId: string; from: number; to: number; at: string }
function addChange(customer: string, { assetId, from, to, at }: SeatChange) {
  return database.sql(
    customer,
    `INSERT INTO license_changes (customer_id, id, asset_id, from_quantity, to_quantity, state, actor_kind, actor_id,
       actor_name, request_id, created_at, moved_at, settled_at)
     VALUES ($1, gen_random_uuid()::text, $2, $3, $4, 'APPLIED', 'member', 'M1', 'Sam Okafor', 'r', $5, $5, $5)`,
    [customer, assetId, from, to, at],
  )
}

type RequestOptions = { key?: string; csv?: boolean; method?: 'GET' | 'HEAD' | 'PATCH' }
function request(search: string, { key = keys.finance, csv = false, method = 'GET' }: RequestOptions = {}) {
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

  it('returns the causes per currency; actors of license changes only to callers who see assets', async () => {
    const response = await request('month=2026-10')
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
    const { currencies } = await (await request('month=2026-10', { key: keys.admin })).json()
    expect(currencies[0].causes[0]).toEqual({ ...seats, change: { ...seats.change, by: 'Sam Okafor' } })
  })

  it('explains lines without tax net, with the tax as a cause, and lines with tax gross', async () => {
    const id = `taxed-${keys.eve.length}`
    await addCustomer(id)
    const key = await addKey(id, ['finance-user'])
    const add = (
      name: string,
      invoiceDate: string,
      { total, price, ...overrides }: { total: string; price: string; [key: string]: unknown },
    ) =>
      addInvoice(
        id,
        name,
        { invoiceDate, currency: 'EUR', totalAmount: total, balanceAmount: '0', ...overrides },
        [
          {
            description: 'Compute',
            price,
            ...('lines' in overrides ? { taxCategory: 'S', taxRate: '19' } : {}),
          },
        ],
      )
    await add('SEP', '2026-09-30', { total: '119', price: '100', netAmount: '100', taxAmount: '19' })
    // The invoice's tax is stated in its line only.
    await add('OCT', '2026-10-31', { total: '145.18', price: '122', lines: true })
    await add('NOV', '2026-11-30', { total: '151.25', price: '151.25', taxAmount: '26.25' })
    const explanationOf = async (month: string) =>
      (await (await request(`month=${month}`, { key })).json()).currencies[0]
    const cause = (effectAmount: number, product?: string) => ({
      ...{ platform: 'cloud-platform', effectAmount },
      ...(product ? { cause: 'amount', product } : { cause: 'tax' }),
    })
    expect(await explanationOf('2026-10')).toMatchObject({
      ...{ effectAmount: 26.18, tax: 'BESIDE_LINES' },
      causes: [cause(22, 'Compute'), cause(4.18)],
    })
    expect(await explanationOf('2026-11')).toMatchObject({
      ...{ effectAmount: 6.07, tax: 'BOTH' },
      causes: [cause(29.25, 'Compute'), cause(-23.18)],
    })
    const after = await explanationOf('2026-12')
    expect([after.tax, after.causes.length]).toEqual(['IN_LINES', 1])
  })

  it('a new rate of the tax in the lines is a cause of its own, in the file, too', async () => {
    const id = `rated-${keys.eve.length}`
    await addCustomer(id)
    const key = await addKey(id, ['finance-user'])
    for (const [name, invoiceDate, price, totalAmount, taxRate] of [
      ['SEP', '2026-09-30', '119', '238', '19'],
      ['OCT', '2026-10-31', '132', '264', '20'],
    ] as const)
      await addInvoice(id, name, { invoiceDate, currency: 'EUR', totalAmount, balanceAmount: '0' }, [
        { description: 'Compute', price, qty: '2', taxCategory: 'S', taxRate },
      ])
    const [{ causes, tax }] = (await (await request('month=2026-10', { key })).json()).currencies
    const where = { platform: 'cloud-platform', product: 'Compute' }
    expect([tax, causes]).toEqual([
      'IN_LINES',
      [
        { ...where, cause: 'taxRate', effectAmount: 2.2, fromTaxRate: 19, toTaxRate: 20 },
        { ...where, cause: 'price', effectAmount: 23.8, fromPrice: 119, toPrice: 130.9 },
      ],
    ])
    const csv = await (await request('month=2026-10', { csv: true, key })).text()
    expect(csv).toContain('Compute,taxRate,2.20')
    expect(csv).toMatch(/,19,20\r\n/)
  })

  it('explains the filtered invoices', async () => {
    const { currencies } = await (await request('month=2026-10&filter=platform:workspace-suite')).json()
    expect(currencies).toMatchObject([{ currency: 'USD', effectAmount: 179.76 }])
    const { currencies: none } = await (await request('month=2026-10&filter=issuer:Nobody')).json()
    expect(none).toEqual([])
  })

  it.each(['2026-08', '1970-01', '9999-12'])('returns an empty explanation for %s', async (month) => {
    const response = await request(`month=${month}`)
    expect([response.status, (await response.json()).currencies]).toEqual([200, []])
  })

  it('explains removed products in the following month', async () => {
    const { currencies } = await (await request('month=2026-11&filter=currency:JPY')).json()
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
    ['month=2026-10&filter=status:OPEN', expect.stringContaining('can be of these only')],
  ])('%s: 400 %s', async (search, detail) => {
    for (const csv of [false, true]) {
      const response = await request(search, { csv })
      expect([response.status, (await response.json()).detail]).toEqual([400, detail])
    }
  })

  it.each([
    ['no key', () => '', 401],
    ['a role without invoices', () => keys.it, 403],
    ['an Admin', () => keys.admin, 200],
  ])('%s: %s', async (_, key, status) => {
    for (const csv of [false, true])
      expect((await request('month=2026-10', { csv, key: key() })).status).toBe(status)
  })

  it('limits a member to their billing profiles, and a customer to its own invoices', async () => {
    const explanationFor = async (key: string) =>
      (await (await request('month=2026-10', { key })).json()).currencies
    expect(await explanationFor(keys.emea)).toMatchObject([
      { currency: 'USD', fromCount: 0, effectAmount: 5 },
    ])
    expect(await explanationFor(keys.eve)).toMatchObject([{ currency: 'USD', toCount: 1, effectAmount: 10 }])
  })

  it('the customer is named in every statement', async () => {
    const tables = ['invoices', 'line_items', 'invoice_sums', 'assets', 'license_changes']
    const rows = (state: string) =>
      run(database.url, ...tables.map((table) => `ALTER TABLE ${table} ${state} ROW LEVEL SECURITY`))
    await rows('DISABLE')
    try {
      const eve = await (await request('month=2026-10', { key: keys.eve })).json()
      expect(eve).toMatchObject({ currencies: [{ effectAmount: 10 }], months: [Date.parse('2026-10-01')] })
    } finally {
      await rows('ENABLE')
    }
  })

  it('a sum that no JSON number is has its decimal text beside it', async () => {
    const id = `large-${keys.eve.length}`
    await addCustomer(id)
    const amount = '9007199254740993'
    await addInvoice(id, 'OCT', { invoiceDate: '2026-10-31', totalAmount: amount, balanceAmount: amount }, [
      { description: 'Compute', price: amount },
    ])
    const key = await addKey(id, ['finance-user'])
    const [found] = (await (await request('month=2026-10', { key })).json()).currencies
    const { causes, fromAmount, toAmount, ...sums } = found
    expect(sums).toMatchObject({ toAmountText: amount, effectAmountText: amount })
    expect([fromAmount, sums.fromAmountText, toAmount]).toEqual([0, undefined, Number(amount)])
    expect(causes).toMatchObject([{ cause: 'new', effectAmount: Number(amount), effectAmountText: amount }])
  })

  it('HEAD answers no body, PATCH is not known', async () => {
    for (const csv of [false, true]) {
      const response = await request('month=2026-10', { csv, method: 'HEAD' })
      expect([response.status, await response.text()]).toEqual([200, ''])
      expect((await request('month=2026-10', { csv, method: 'PATCH' })).status).toBe(405)
    }
  })
})

test('GET /billing/v1/invoice-explanation.csv returns the same causes with disarmed formulas', async () => {
  const response = await request('month=2026-11', { csv: true, key: keys.admin })
  expect(response.headers.get('content-disposition')).toContain('filename="explanation-2026-11.csv"')
  const rows: Record<string, string>[] = parse(await response.text(), { bom: true, columns: true })
  expect(rows.map((row) => [row.currency, row.product, row.cause, row.effectAmount])).toEqual([
    ['USD', 'Business Plus', 'gone', '-1348.20'],
    ['USD', "'=Support", 'gone', '-10.00'],
    ['USD', 'Usage', 'gone', '-5.00'],
    ['JPY', 'Usage', 'gone', '-900'],
    ['JPY', '', 'notItemized', '-1'],
  ])
  const [seats] = parse(await (await request('month=2026-10', { csv: true, key: keys.admin })).text(), {
    ...{ bom: true, columns: true },
  }) as Record<string, string>[]
  expect(seats).toMatchObject({
    ...{ cause: 'licenses', effectAmount: '179.76', changedOn: '2026-10-20', changedBy: 'Sam Okafor' },
    ...{ fromLicenses: '52', toLicenses: '60', billed: 'wholePeriod', days: '12', daysAmount: '69.58' },
  })
})
