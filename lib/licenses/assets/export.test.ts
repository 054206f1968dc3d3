import { parse } from 'csv-parse/sync'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { route } from '#lib/platform/api/endpoint.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer, addKey } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import type { AssetListItem } from './contract.ts'
import { exportAssets, listAssets } from './operations.ts'

type Row = Record<string, string>
let database: TestDatabase
const keys = { it: '', finance: '', eve: '' }

beforeAll(async () => {
  database = await testDatabase()
  for (const id of ['northwind', 'southwind']) await addCustomer(id)
  const at = (createdAt: string) => ({ createdAt: new Date(createdAt) })
  await addAsset(
    'northwind',
    'workspace-suite-1',
    { purchased: 240, assigned: 182 },
    {
      ...at('2026-01-01T00:00:00Z'),
      name: '=1+1',
      reseller: '@sum',
      purchaseOrderId: '-12',
    },
  )
  await addAsset(
    'northwind',
    'workspace-suite-2',
    { purchased: 0, isCommitmentPlan: true, commitmentEnd: new Date('2027-03-01T00:00:00Z') },
    at('2026-12-31T23:59:59.999Z'),
  )
  await addAsset('northwind', 'cloud-platform-1', null, at('2025-06-30T12:00:00Z'))
  await addAsset('southwind', 'workspace-suite-9', { purchased: 5 })
  keys.it = await addKey('northwind', ['it-manager'])
  keys.finance = await addKey('northwind', ['finance-user'])
  keys.eve = await addKey('southwind', ['admin'])
})
afterAll(() => database.close())
afterEach(() => vi.unstubAllEnvs())

function callApi(search = '', { key = keys.it, method = 'GET' as 'GET' | 'HEAD' | 'PATCH' } = {}) {
  const headers: Record<string, string> = key ? { Authorization: `Bearer ${key}` } : {}
  const url = `http://console.example/billing/v1/assets.csv?${search}`
  return route(exportAssets)[method](new Request(url, { method, headers }))
}
const rows = async (search?: string, key?: string): Promise<Row[]> =>
  parse(await (await callApi(search, key ? { key } : {})).text(), { bom: true, columns: true })

it.each(['', 'filter=type:workspace-suite', 'search=SUITE-2', 'search==1', 'filter=type:none'])(
  'The export contains exactly the rows of the list: %s',
  async (search) => {
    const url = `http://console.example/billing/v1/assets?view=full&${search}`
    const list = await route(listAssets).GET(
      new Request(url, { headers: { Authorization: `Bearer ${keys.it}` } }),
    )
    const { assets }: { assets: AssetListItem[] } = await list.json()
    const expectedRows = (await rows(search)).map((row) => ({
      id: row.id,
      type: row.type,
      name: row.name?.replace(/^'/, ''),
      quantity: row.purchasedSeats,
      domain: row.customerDomain,
      plan: row.planName,
      assigned: row.assignedSeats,
    }))
    expect(expectedRows).toEqual(
      assets.map(({ id, type, name, quantity, properties }) => ({
        id,
        type,
        name,
        quantity: String(quantity ?? ''),
        domain: properties?.customerDomain,
        plan: properties?.subscription?.Plan.PlanName ?? '',
        assigned: String(properties?.subscription?.Seats.LicensedNumberOfSeats ?? ''),
      })),
    )
  },
)

it.each([
  ['Pacific/Kiritimati', -840],
  ['Pacific/Pago_Pago', 660],
])('dates are days of UTC in %s', async (zone, offset) => {
  vi.stubEnv('TZ', zone)
  expect(new Date(2026, 11, 31).getTimezoneOffset()).toBe(offset)
  const exported = await rows()
  expect(exported.map((row) => [row.id, row.createDate, row.commitmentEndDate])).toEqual([
    ['workspace-suite-2', '2026-12-31', '2027-03-01'],
    ['workspace-suite-1', '2026-01-01', ''],
    ['cloud-platform-1', '2025-06-30', ''],
  ])
})

it('disarms formulas, and leaves cells empty where there are no licenses', async () => {
  const [, workspace, cloud] = await rows()
  expect([workspace?.name, workspace?.reseller, workspace?.purchaseOrderID]).toEqual([
    "'=1+1",
    "'@sum",
    "'-12",
  ])
  expect([workspace?.isCommitmentPlan, cloud?.isCommitmentPlan, cloud?.purchasedSeats]).toEqual([
    'false',
    '',
    '',
  ])
})

it('The download carries the day in its file name', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 30, 23, 59, 59) })
  try {
    const response = await callApi()
    expect(response.headers.get('content-disposition')).toContain('filename="assets-2026-11-30.csv"')
    await response.body?.cancel()
  } finally {
    vi.useRealTimers()
  }
})

it('Members who manage licenses export the assets of their own customer', async () => {
  expect((await callApi('', { key: '' })).status).toBe(401)
  expect((await callApi('', { key: keys.finance })).status).toBe(403)
  expect((await callApi('filter=color:red')).status).toBe(400)
  expect((await callApi('', { method: 'PATCH' })).status).toBe(405)
  const response = await callApi('', { method: 'HEAD' })
  expect([response.status, await response.text()]).toEqual([200, ''])
  await run(database.url, 'ALTER TABLE assets DISABLE ROW LEVEL SECURITY')
  try {
    expect((await rows('filter=type:a|workspace-suite', keys.eve)).map(({ id }) => id)).toEqual([
      'workspace-suite-9',
    ])
  } finally {
    await run(database.url, 'ALTER TABLE assets ENABLE ROW LEVEL SECURITY')
  }
})
