import Big from 'big.js'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { compareInvoices, exportComparison } from '#lib/costs/comparisons/operations.ts'
import { route } from '#lib/platform/api/endpoint.ts'
import { findKeyCaller } from '#lib/platform/caller/authenticate.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
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
import { comparableInvoices, invoiceBefore } from './compared.ts'

let database: TestDatabase
const keys = { finance: '', admin: '', emea: '', it: '', eve: '' }

beforeAll(async () => {
  vi.stubEnv('BASE_URL', 'https://console.example')
  database = await testDatabase()
  for (const id of ['northwind', 'southwind']) await addCustomer(id)
  await addProfile('northwind', 'emea')
  const add = (id: string, invoiceDate: string, ...more: Tail) =>
    addInvoice('northwind', id, ...dated(invoiceDate, more))
  await add('AUG', '2026-08-31', {}, [{ description: 'Compute', price: '3', qty: '3' }])
  await add('CREDIT', '2026-09-10', { totalAmount: '-5', balanceAmount: '-5' })
  await add('SEP', '2026-09-30', { totalAmount: '22.34' }, [
    { description: 'Compute', price: '0.125', qty: '80', details: '1 – 30 Sep 2026' },
    { description: '=Support', price: '2.34' },
  ])
  await add('SEP-emea', '2026-09-30', { billingProfileId: 'emea' })
  await add('SEP-yen', '2026-09-30', { currency: 'JPY', totalAmount: '900' }, [{ price: '900' }])
  await add('SEP-web', '2026-09-30', { platform: 'web-services' })
  await add('OCT', '2026-10-31', { totalAmount: '26.59' }, [
    { description: 'Compute', price: '0.135', qty: '90', details: '1 – 31 Oct 2026' },
    { description: '=Support', price: '2.34' },
    { description: 'Logs', price: '0.1' },
  ])
  await addSeats()
  await addInvoice('southwind', 'NOV', {})
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

/** Adds two months of licenses, with a change within the second. */
async function addSeats() {
  await addAsset('northwind', 'workspace-suite-1', { purchased: 5 })
  await database.sql(
    'northwind',
    `INSERT INTO license_changes (customer_id, id, asset_id, from_quantity, to_quantity, state, actor_kind, actor_id,
       actor_name, request_id, created_at, moved_at, settled_at)
     VALUES ('northwind', 'C1', 'workspace-suite-1', 3, 5, 'APPLIED', 'member', 'M1', 'Sam Okafor', 'r', $1, $1, $1)`,
    ['2026-10-20T10:00:00Z'],
  )
  const add = (id: string, invoiceDate: string, qty: string, totalAmount: string) =>
    addInvoice(
      'northwind',
      id,
      ...dated(invoiceDate, [
        { platform: 'workspace-suite', totalAmount },
        [{ description: 'Business Plus', price: '10', qty }],
      ]),
    )
  await add('W-SEP', '2026-09-30', '3', '30')
  await add('W-OCT', '2026-10-31', '5', '50')
}

const cause = (product: string | undefined, kind: string, effectAmount: number, more: object = {}) => ({
  ...{ cause: kind, platform: 'cloud-platform', effectAmount, ...more },
  ...(product === undefined ? {} : { product }),
})

type Tail = [Parameters<typeof addInvoice>[2]?, Parameters<typeof addInvoice>[3]?]
function dated(invoiceDate: string, [overrides, lines]: Tail): Tail {
  return [{ invoiceDate, dueDate: '2026-12-31', ...overrides }, lines]
}

function request(
  search: string,
  { key = keys.finance, csv = false, method = 'GET' as 'GET' | 'HEAD' | 'PATCH' } = {},
) {
  const path = `/billing/v1/invoice-comparison${csv ? '.csv' : ''}?${search}`
  const headers: Record<string, string> = key ? { Authorization: `Bearer ${key}` } : {}
  return route(csv ? exportComparison : compareInvoices)[method](
    new Request(`http://console.example${path}`, { method, headers }),
  )
}
const rows = async (response: Response): Promise<Record<string, string>[]> =>
  parse(await response.text(), { bom: true, columns: true, record_delimiter: '\r\n' })

describe('GET /billing/v1/invoice-comparison', () => {
  it('returns the differences with their amounts', async () => {
    const response = await request('from=SEP&to=OCT')
    const body = await response.json()
    expect(response.status).toBe(200)
    expect(body).toMatchObject({
      from: { id: 'SEP', totalAmount: 22.34, url: 'https://console.example/billing/v1/invoices/SEP/file' },
      to: { id: 'OCT', totalAmount: 26.59, url: 'https://console.example/billing/v1/invoices/OCT/file' },
      lineItems: { fromAmount: 12.34, toAmount: 14.59, effectAmount: 2.25 },
      rounding: { fromAmount: 0, toAmount: 0, effectAmount: 0 },
      notItemized: { fromAmount: 10, toAmount: 12, effectAmount: 2 },
      total: { fromAmount: 22.34, toAmount: 26.59, effectAmount: 4.25 },
    })
    expect(body.changes).toEqual([
      {
        change: 'changed',
        reasons: ['quantity', 'price'],
        type: 'cloud-platform',
        currency: 'USD',
        effectAmount: 2.15,
        from: {
          description: 'Compute',
          Details: '1 – 30 Sep 2026',
          qty: 80,
          price: 0.125,
          amount: 10,
          lineCount: 1,
        },
        to: {
          description: 'Compute',
          Details: '1 – 31 Oct 2026',
          qty: 90,
          price: 0.135,
          amount: 12.15,
          lineCount: 1,
        },
      },
      {
        change: 'added',
        reasons: [],
        type: 'cloud-platform',
        currency: 'USD',
        effectAmount: 0.1,
        to: { description: 'Logs', qty: 1, price: 0.1, amount: 0.1, lineCount: 1 },
      },
    ])
    expect(body.unchanged).toMatchObject([{ change: 'unchanged', effectAmount: 0, to: { amount: 2.34 } }])
  })

  it('answers the causes, which add up, and who changed licenses to those who see assets', async () => {
    const { causes } = await (await request('from=SEP&to=OCT')).json()
    expect(causes).toEqual([
      cause('Compute', 'usage', 1.25, { fromQty: 80, toQty: 90 }),
      cause('Compute', 'price', 0.9, { fromPrice: 0.125, toPrice: 0.135 }),
      cause(undefined, 'notItemized', 2),
      cause('Logs', 'new', 0.1, { fromQty: 0, toQty: 1 }),
    ])
    const seats = async (key: string) => (await (await request('from=W-SEP&to=W-OCT', { key })).json()).causes
    const change = {
      ...{ at: Date.parse('2026-10-20T10:00:00Z'), from: 3, to: 5, sure: true },
      ...{ billed: 'wholePeriod', days: 12, ofDays: 31, daysAmount: 7.74 },
    }
    const expected = {
      cause: 'licenses',
      platform: 'workspace-suite',
      product: 'Business Plus',
      effectAmount: 20,
    }
    expect(await seats(keys.finance)).toEqual([{ ...expected, change }])
    expect(await seats(keys.admin)).toEqual([{ ...expected, change: { ...change, by: 'Sam Okafor' } }])
  })

  it('compares in reverse, and an invoice with itself', async () => {
    const back = await (await request('from=OCT&to=SEP')).json()
    expect([back.total.effectAmount, back.changes[1].change]).toEqual([-4.25, 'gone'])
    const same = await (await request('from=OCT&to=OCT')).json()
    expect([same.changes, same.unchanged.length, same.total.effectAmount]).toEqual([[], 3, 0])
  })

  it.each([
    ['from=SEP', 400, 'to: must be an invoice number'],
    ['', 400, 'from: must be an invoice number; to: must be an invoice number'],
    ['from=SEP&to=', 400, expect.stringMatching(/^to: /)],
    ['from=SEP&to=OCT&to=AUG', 400, 'to: is given more than once'],
    ['from=SEP&to=NONE', 404, 'Not found'],
    ['from=SEP&to=NOV', 404, 'Not found'],
    ['from=NOV&to=SEP-web', 404, 'Not found'],
    [
      'from=SEP&to=SEP-web',
      422,
      'Only invoices of one platform can be compared: SEP is cloud-platform, SEP-web is web-services.',
    ],
    [
      'from=SEP-yen&to=OCT',
      422,
      'Only invoices in one currency can be compared: SEP-yen is JPY, OCT is USD.',
    ],
  ])('%s: %i %s', async (search, status, detail) => {
    for (const csv of [false, true]) {
      const response = await request(search, { csv })
      expect([response.status, response.headers.get('content-type')]).toEqual([
        status,
        'application/problem+json',
      ])
      expect((await response.json()).detail).toEqual(detail)
    }
  })

  it.each([
    ['no key', () => '', 401],
    ['another role', () => keys.it, 403],
    ['another customer', () => keys.eve, 404],
    ['a member of another billing profile', () => keys.emea, 404],
  ])('%s: %s', async (_, key, status) => {
    for (const csv of [false, true])
      for (const search of ['from=SEP&to=OCT', 'from=SEP-emea&to=OCT', 'from=OCT&to=SEP-emea'])
        expect((await request(search, { csv, key: key() })).status).toBe(status)
  })

  it('HEAD answers no body, PATCH is not known', async () => {
    for (const csv of [false, true]) {
      const response = await request('from=SEP&to=OCT', { csv, method: 'HEAD' })
      expect([response.status, await response.text()]).toEqual([200, ''])
      const patch = await request('from=SEP&to=OCT', { csv, method: 'PATCH' })
      expect([patch.status, patch.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
  })
})

describe('GET /billing/v1/invoice-comparison.csv', () => {
  it('contains the same rows with disarmed formulas, and adds up to the difference of the totals', async () => {
    const response = await request('from=SEP&to=OCT', { csv: true })
    expect(response.headers.get('content-disposition')).toContain('filename="SEP-to-OCT.csv"')
    const exported = await rows(response)
    expect(
      exported.map((row) => [row.change, row.description, row.fromPrice, row.toAmount, row.effectAmount]),
    ).toEqual([
      ['changed', 'Compute', '0.125', '12.15', '2.15'],
      ['added', 'Logs', '', '0.10', '0.10'],
      ['unchanged', "'=Support", '2.34', '2.34', '0.00'],
      ['notItemized', '', '', '12.00', '2.00'],
      ['cause', 'Compute', '', '', ''],
      ['cause', 'Compute', '0.125', '', ''],
      ['cause', '', '', '', ''],
      ['cause', 'Logs', '', '', ''],
    ])
    expect(exported.slice(4).map(({ cause, causeAmount }) => `${cause} ${causeAmount}`)).toEqual([
      ...['usage 1.25', 'price 0.90', 'notItemized 2.00', 'new 0.10'],
    ])
    const sum = exported.reduce((all, row) => all.plus(row.effectAmount || 0), new Big(0))
    expect(sum.toFixed()).toBe('4.25')
    expect(exported[0]).toMatchObject({
      fromDetails: '1 – 30 Sep 2026',
      reasons: 'quantity price',
      currency: 'USD',
    })
  })

  it('names who changed the licenses, to those who see assets', async () => {
    const seats = async (key: string) =>
      (await rows(await request('from=W-SEP&to=W-OCT', { csv: true, key }))).find(
        ({ cause }) => cause === 'licenses',
      )
    const change = {
      ...{
        description: 'Business Plus',
        causeAmount: '20.00',
        changedOn: '2026-10-20',
        changedBy: 'Sam Okafor',
      },
      ...{
        fromLicenses: '3',
        toLicenses: '5',
        sure: 'true',
        billed: 'wholePeriod',
        days: '12',
        ofDays: '31',
      },
    }
    expect(await seats(keys.admin)).toMatchObject({ ...change, daysAmount: '7.74' })
    expect(await seats(keys.finance)).toMatchObject({ ...change, changedBy: '' })
  })
})

describe('the default invoice to compare with', () => {
  const caller = async (key: string) => (await findKeyCaller(digestOf(key))) as Caller
  const choices = async (key: string, id: string) =>
    (await comparableInvoices(await caller(key), id)).map((one) => one.id)

  it.each([
    ['OCT', ['OCT', 'SEP-emea', 'SEP', 'CREDIT', 'AUG'], 'SEP'],
    ['SEP', ['OCT', 'SEP-emea', 'SEP', 'CREDIT', 'AUG'], 'AUG'],
    ['SEP-emea', ['OCT', 'SEP-emea', 'SEP', 'CREDIT', 'AUG'], undefined],
    ['SEP-yen', ['SEP-yen'], undefined],
    ['CREDIT', ['OCT', 'SEP-emea', 'SEP', 'CREDIT', 'AUG'], undefined],
    ['NOV', [], undefined],
  ])('%s', async (id, others, before) => {
    expect(await choices(keys.finance, id)).toEqual(others)
    expect(await invoiceBefore(await caller(keys.finance), id)).toBe(before)
  })

  it('belongs to the same account where a month has several', async () => {
    const lines = (...names: string[]) => names.map((description) => ({ description }))
    const add = (id: string, invoiceDate: string, ...names: string[]) =>
      addInvoice(
        'southwind',
        id,
        { invoiceDate, dueDate: '2027-01-31', platform: 'web-services' },
        lines(...names),
      )
    await add('A-1', '2026-08-31', 'Compute', 'Storage', 'Queues')
    await add('A-2', '2026-09-30', 'Compute', 'Storage')
    await add('B-1', '2026-08-31', 'Mail', 'Seats')
    await add('B-2', '2026-09-30', 'Mail', 'Seats', 'Compute')
    await add('ONCE', '2026-10-15', 'Set-up')
    await add('A-3', '2026-10-31', 'Compute', 'Storage', 'Queues')
    await add('B-3', '2026-10-31', 'Mail')
    await add('NEW', '2026-10-31', 'Something else')
    const eve = await caller(keys.eve)
    const results = await Promise.all(
      ['A-3', 'A-2', 'B-3', 'B-2', 'NEW', 'A-1'].map((id) => invoiceBefore(eve, id)),
    )
    expect(results).toEqual(['A-2', 'A-1', 'B-2', 'B-1', 'ONCE', undefined])
  })

  it('is limited to the caller’s billing profiles and requires the permission', async () => {
    expect(await choices(keys.emea, 'SEP-emea')).toEqual(['SEP-emea'])
    expect(await choices(keys.emea, 'OCT')).toEqual([])
    expect(await invoiceBefore(await caller(keys.emea), 'OCT')).toBeUndefined()
    for (const read of [comparableInvoices, invoiceBefore])
      await expect(read(await caller(keys.it), 'OCT')).rejects.toMatchObject({ code: 'permission_denied' })
  })

  it('the customer is named in every statement', async () => {
    await run(database.url, 'ALTER TABLE invoices DISABLE ROW LEVEL SECURITY')
    try {
      const eve = { ...(await caller(keys.eve)), billingProfiles: ['default', 'emea'] }
      expect((await comparableInvoices(eve, 'NOV')).map(({ id }) => id)).toEqual(['NOV'])
      expect(await comparableInvoices(eve, 'OCT')).toEqual([])
      expect([await invoiceBefore(eve, 'NOV'), await invoiceBefore(eve, 'OCT')]).toEqual([
        undefined,
        undefined,
      ])
      expect((await request('from=SEP&to=OCT', { key: keys.eve })).status).toBe(404)
    } finally {
      await run(database.url, 'ALTER TABLE invoices ENABLE ROW LEVEL SECURITY')
    }
  })
})
