import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { PartialInput } from '#lib/platform/api/client.ts'
import { route } from '#lib/platform/api/endpoint.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer, addKey, callerOf } from '#lib/platform/db/test-rows.ts'
import type * as contract from './contract.ts'
import { exportAssets, listAssets, summarizeAssets } from './operations.ts'
import { PLAN_KINDS, planKindOf, USAGES, usageOf } from './rules.ts'
import { type AssetSort, keysetOf } from './selection.ts'

type Query = NonNullable<PartialInput<typeof contract.listAssets>['query']>
type Row = { id: string; name: string; end?: string; seats?: [purchased: number, assigned: number] }

/** Names and values that are equal, absent, at a boundary, in other letters, and longer than a token's part. */
const ROWS: Row[] = [
  { id: 'workspace-suite-1', name: 'beta', end: '2027-01-01', seats: [10, 8] },
  { id: 'workspace-suite-2', name: 'Alpha', end: '2027-01-01', seats: [10, 7] },
  { id: 'workspace-suite-3', name: 'ALPHA', end: '2026-06-30', seats: [10, 12] },
  { id: 'office-suite-1', name: 'Éclair', seats: [0, 0] },
  { id: 'office-suite-2', name: 'alpha', seats: [5, 0] },
  { id: 'cloud-platform-1', name: `${'x'.repeat(300)} 2` },
  { id: 'cloud-platform-2', name: `${'x'.repeat(300)} 1` },
]
const meta = { requestId: 'test' }
let database: TestDatabase
let ana: Caller
let key = ''

beforeAll(async () => {
  vi.stubEnv('BASE_URL', 'https://console.example')
  database = await testDatabase()
  for (const id of ['northwind', 'southwind']) await addCustomer(id)
  for (const [index, { id, name, end, seats }] of ROWS.entries()) {
    const subscription = seats && {
      purchased: seats[0],
      assigned: seats[1],
      isCommitmentPlan: end !== undefined,
      status: index === 1 ? 'SUSPENDED' : 'ACTIVE',
      ...(end ? { commitmentEnd: new Date(`${end}T00:00:00.000Z`) } : {}),
    }
    await addAsset('northwind', id, subscription ?? null, {
      name,
      createdAt: new Date(Date.UTC(2026, 0, 1 + index)),
      customerDomain: index % 2 ? 'Other.example' : 'northwind.example',
      ...(id === 'office-suite-2' ? { planName: 'TRIAL' } : {}),
    })
  }
  await addAsset('southwind', 'workspace-suite-9', { purchased: 5 }, { name: 'aaaa' })
  ana = await callerOf('northwind', 'it-manager')
  key = await addKey('northwind', ['it-manager'])
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await database.close()
})

const list = async (query: Query) =>
  (await listAssets(ana, { params: {}, query, body: undefined }, meta)).body
const ids = async (query: Query) => (await list(query)).assets.map(({ id }) => id)

const BY_NAME = ['office-suite-2', 'workspace-suite-2', 'workspace-suite-3', 'workspace-suite-1']
const LONG = ['cloud-platform-1', 'cloud-platform-2']

describe('the order', () => {
  it.each<[AssetSort, string[]]>([
    // Long names are compared up to the length in a page token.
    ['name asc', [...BY_NAME, ...LONG, 'office-suite-1']],
    ['name desc', [...BY_NAME, ...LONG, 'office-suite-1'].reverse()],
    [
      'renewal asc',
      [
        'workspace-suite-3',
        'workspace-suite-1',
        'workspace-suite-2',
        ...LONG,
        'office-suite-1',
        'office-suite-2',
      ],
    ],
    [
      'renewal desc',
      [
        'workspace-suite-2',
        'workspace-suite-1',
        'workspace-suite-3',
        'office-suite-2',
        'office-suite-1',
        ...LONG.toReversed(),
      ],
    ],
    [
      'idle desc',
      [
        'office-suite-2',
        'workspace-suite-2',
        'workspace-suite-1',
        'workspace-suite-3',
        'office-suite-1',
        ...LONG.toReversed(),
      ],
    ],
    [
      'idle asc',
      [
        'office-suite-1',
        'workspace-suite-3',
        'workspace-suite-1',
        'workspace-suite-2',
        'office-suite-2',
        ...LONG,
      ],
    ],
    ['created asc', ROWS.map(({ id }) => id)],
    ['created desc', ROWS.map(({ id }) => id).reverse()],
  ])(
    '%s: rows without a value come last, and pages lead through each row once and back',
    async (orderBy, expected) => {
      expect(await ids({ orderBy })).toEqual(expected)
      expect(await ids({ orderBy, view: 'full' })).toEqual(expected)
      for (const view of ['basic', 'full'] as const) {
        const pages = [await list({ orderBy, view, maxResults: 2 })]
        for (let last = pages[0]; last?.pageToken; last = pages.at(-1))
          pages.push(await list({ orderBy, view, maxResults: 2, pageToken: last.pageToken }))
        expect(pages.flatMap(({ assets }) => assets.map(({ id }) => id))).toEqual(expected)
        const back = await ids({ orderBy, view, maxResults: 2, pageToken: pages.at(-1)?.previousPageToken })
        expect(back).toEqual(pages.at(-2)?.assets.map(({ id }) => id))
      }
    },
  )

  it('accepts a page token only for the order and the filters that it was made for', async () => {
    const { pageToken } = await list({ orderBy: 'name asc', maxResults: 1 })
    const others: Query[] = [
      {},
      { orderBy: 'name desc' },
      { orderBy: 'idle asc' },
      { orderBy: 'name asc', filter: { usage: ['idle'] } },
      { orderBy: 'name asc', minRenewalTime: 1 },
    ]
    for (const query of others)
      await expect(list({ ...query, maxResults: 1, pageToken })).rejects.toMatchObject({
        code: 'page_token_invalid',
      })
    expect(await ids({ orderBy: 'name asc', maxResults: 1, pageToken })).toEqual([BY_NAME[1]])
  })

  it('The default order keeps its earlier rows and page tokens', async () => {
    const plain = await list({ maxResults: 2 })
    const page = await list({ maxResults: 2, orderBy: 'created desc' })
    expect(plain.assets).toEqual(page.assets)
    expect(plain.pageToken).not.toBe(page.pageToken)
    expect(keysetOf(undefined).sort).toBeUndefined()
  })
})

describe('the filters', () => {
  const byRule = (holds: (row: Row & { index: number }) => boolean) =>
    ROWS.map((row, index) => ({ ...row, index }))
      .filter(holds)
      .map(({ id }) => id)
      .reverse()

  it.each(USAGES)('The filter usage %s selects the rows that usageOf assigns to it', async (usage) => {
    const expected = byRule(({ seats }) =>
      seats ? usageOf({ purchased: seats[0], assigned: seats[1] }) === usage : false,
    )
    expect(expected).not.toEqual([])
    expect(await ids({ filter: { usage: [usage] } })).toEqual(expected)
  })

  it.each(PLAN_KINDS)('The filter plan %s selects the rows that planKindOf assigns to it', async (plan) => {
    const expected = byRule(({ id, seats, end }) => {
      const planName = id === 'office-suite-2' ? 'TRIAL' : 'ANY'
      return (
        planKindOf({ planName: seats ? planName : null, isCommitmentPlan: seats ? !!end : null }) === plan
      )
    })
    expect(expected).not.toEqual([])
    expect(await ids({ filter: { plan: [plan] } })).toEqual(expected)
  })

  it.each<[Query, string[]]>([
    [{ filter: { status: ['SUSPENDED'] } }, ['workspace-suite-2']],
    [{ filter: { status: ['suspended'] } }, []],
    [{ filter: { domain: ['OTHER.EXAMPLE'] } }, ['cloud-platform-1', 'office-suite-1', 'workspace-suite-2']],
    [{ filter: { domain: ['other'] } }, []],
    [
      { filter: { usage: ['full', 'used'], type: ['workspace-suite'] } },
      ['workspace-suite-3', 'workspace-suite-1'],
    ],
    [{ minRenewalTime: Date.UTC(2027, 0, 1) }, ['workspace-suite-2', 'workspace-suite-1']],
    [{ minRenewalTime: Date.UTC(2027, 0, 1) + 1 }, []],
    [{ maxRenewalTime: Date.UTC(2026, 5, 30) }, ['workspace-suite-3']],
    [
      { minRenewalTime: 0, maxRenewalTime: Number.MAX_SAFE_INTEGER },
      ['workspace-suite-3', 'workspace-suite-2', 'workspace-suite-1'],
    ],
    [{ minRenewalTime: Number.MAX_SAFE_INTEGER }, []],
  ])('%j finds %j', async (query, expected) => {
    expect(await ids(query)).toEqual(expected)
    const { body } = await summarizeAssets(ana, { params: {}, query, body: undefined }, meta)
    expect(body.count).toBe(expected.length)
  })

  it.each([
    ['filter=usage:busy', 'filter_invalid'],
    ['filter=plan:annual', 'filter_invalid'],
    ['filter=color:red', 'filter_invalid'],
    ['orderBy=price', 'invalid_request'],
    ['orderBy=name%20up', 'invalid_request'],
    ['minRenewalTime=soon', 'invalid_request'],
  ])('%s is refused, by the list and by the file', async (search, code) => {
    for (const [operation, path] of [
      [listAssets, 'assets'],
      [exportAssets, 'assets.csv'],
    ] as const) {
      const response = await call(operation, path, search)
      expect([response.status, (await response.json()).code]).toEqual([400, code])
    }
  })

  it('words are read in any case, and seconds as well as milliseconds', async () => {
    const response = await call(
      listAssets,
      'assets',
      'filter=plan:Commitment|usage:IDLE&minRenewalTime=1798761600',
    )
    const { assets } = await response.json()
    expect(assets.map(({ id }: { id: string }) => id)).toEqual(['workspace-suite-2'])
  })
})

it('A file contains the rows of the list in list order', async () => {
  const search = 'orderBy=name&filter=type:workspace-suite|office-suite'
  const rows: Row[] = parse(await (await call(exportAssets, 'assets.csv', search)).text(), {
    bom: true,
    columns: true,
  })
  const { assets } = await (await call(listAssets, 'assets', search)).json()
  expect(rows.map(({ id }) => id)).toEqual([...BY_NAME, 'office-suite-1'])
  expect(rows.map(({ id }) => id)).toEqual(assets.map(({ id }: Row) => id))
})

function call(operation: typeof listAssets | typeof exportAssets, path: string, search: string) {
  const headers = { Authorization: `Bearer ${key}` }
  return route(operation).GET(
    new Request(`https://console.example/billing/v1/${path}?${search}`, { headers }),
  )
}
