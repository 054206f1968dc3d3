import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { PartialInput } from '#lib/platform/api/client.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer, callerOf } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import type * as contract from './contract.ts'
import { listAssets, readAsset, readAssetItem, summarizeAssets } from './operations.ts'

const meta = { requestId: 'test-request' }
let database: TestDatabase
let ana: Caller
let eve: Caller
let made = 0

beforeAll(async () => {
  vi.stubEnv('BASE_URL', 'https://console.example')
  database = await testDatabase()
  await addCustomer('northwind')
  await addCustomer('southwind')
  ana = await callerOf('northwind', 'it-manager')
  eve = await callerOf('southwind', 'admin')
  await addAsset('northwind', 'cloud-platform-1', null)
  const odd = { planName: 'ANNUAL_MONTHLY_PAY', seatVersion: 2 }
  await addAsset('northwind', 'office-suite-odd', { purchased: 4 }, odd)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await database.close()
})

async function newAsset(subscription: Parameters<typeof addAsset>[2]): Promise<string> {
  const id = `workspace-suite-${++made}`
  await addAsset('northwind', id, subscription)
  return id
}

type Query = NonNullable<PartialInput<typeof contract.listAssets>['query']>
const list = async (query: Query, caller = ana) =>
  (await listAssets(caller, { params: {}, query, body: undefined }, meta)).body

describe('listAssets (spec 4.1)', () => {
  it('pages newest first, each row once, though rows share their creation time', async () => {
    await addCustomer('paging')
    const caller = await callerOf('paging', 'it-manager')
    const times = ['2026-01-01T00:00:00.000001Z', '2026-01-01T00:00:00.000002Z', '2026-01-02T00:00:00Z']
    for (let index = 0; index < 9; index++)
      await addAsset('paging', `workspace-suite-${index}`, { purchased: index })
    for (const [index, time] of times.entries()) {
      await database.sql('paging', 'UPDATE assets SET created_at = $1 WHERE right(id, 1)::int % 3 = $2', [
        time,
        index,
      ])
    }
    const all = (await list({}, caller)).assets.map(({ id }) => id)
    expect(all.map((id) => Number(id.at(-1)) % 3)).toEqual([2, 2, 2, 1, 1, 1, 0, 0, 0])
    const seen: string[] = []
    let page = await list({ maxResults: 2 }, caller)
    for (; ; page = await list({ maxResults: 2, pageToken: page.pageToken }, caller)) {
      expect(page.rowCount).toBe(page.assets.length)
      seen.push(...page.assets.map(({ id }) => id))
      if (!page.pageToken) break
    }
    expect(seen).toEqual(all)
    const before = await list({ maxResults: 2, pageToken: page.previousPageToken }, caller)
    expect(before.assets.map(({ id }) => id)).toEqual(all.slice(6, 8))
  })

  it('returns exactly the fields of spec 2.1 and the additions', async () => {
    const { assets } = await list({ filter: { type: ['cloud-platform'] } })
    expect(assets).toEqual([
      {
        id: 'cloud-platform-1',
        type: 'cloud-platform',
        licenseQty: 'N/A',
        assetName: 'cloud-platform-1',
        name: 'cloud-platform-1',
        url: 'https://console.example/assets?filter=type:cloud-platform',
        createTime: expect.any(Number),
      },
    ])
  })

  it('omits the subscription with view=full where an asset has none, as readAsset does', async () => {
    const extra = {
      customerDomain: 'northwind.example',
      customerID: expect.any(String),
      reseller: expect.any(String),
    }
    const { assets } = await list({ view: 'full', filter: { type: ['cloud-platform'] } })
    expect(assets.map(({ properties }) => properties)).toEqual([extra])
    const params = { asset_id: 'cloud-platform-1' }
    const { body } = await readAsset(ana, { params, query: {}, body: undefined }, meta)
    expect(body).toStrictEqual({ ...body, properties: extra })
  })

  it('returns the properties and the ETag of readAsset with view=full', async () => {
    const { assets } = await list({ view: 'full', search: 'office-suite-odd' })
    expect(assets[0]?.etag).toMatch(/^"2\.[\w-]{22}"$/)
    expect(assets[0]?.properties?.subscription?.Plan).toMatchObject({
      IsCommitmentPlan: false,
      CommitmentInterval: null,
    })
  })

  it('searches name, domain and id as text, not as a pattern', async () => {
    await addAsset('northwind', 'office-suite-percent', { purchased: 1 }, { name: '100% _Sure\\' })
    const names = async (search: string) => (await list({ search })).assets.map(({ name }) => name)
    expect(await names('0% _s')).toEqual(['100% _Sure\\'])
    expect(await names('sure\\')).toEqual(['100% _Sure\\'])
    expect(await names('%%')).toEqual([])
    expect(await names('NORTHWIND.example')).not.toEqual([])
  })

  it('returns an empty array for an unknown type', async () => {
    expect(await list({ filter: { type: ["x' OR '1'='1"] } })).toEqual({ assets: [], rowCount: 0 })
  })

  it('counts the selected assets per type', async () => {
    const count = async (query: Query) =>
      (await summarizeAssets(ana, { params: {}, query, body: undefined }, meta)).body
    const all = await count({})
    expect(all.count).toBe(all.types.reduce((sum, { count: n }) => sum + n, 0))
    expect(await count({ filter: { type: ['cloud-platform'] } })).toEqual({
      count: 1,
      types: [{ type: 'cloud-platform', count: 1 }],
    })
  })
})

describe('readAssetItem', () => {
  it('returns the item of the list with view=full, to Licenses Managers of the customer only', async () => {
    const id = await newAsset({ purchased: 7, assigned: 2 })
    const { assets } = await list({ view: 'full', search: id, maxResults: 250 })
    expect(await readAssetItem(ana, id, meta)).toEqual(assets.find((item) => item.id === id))
    const finance = await callerOf('northwind', 'finance-user')
    await expect(readAssetItem(finance, id, meta)).rejects.toMatchObject({ code: 'permission_denied' })
    await expect(readAssetItem(eve, id, meta)).rejects.toMatchObject({ code: 'not_found' })
    await expect(readAssetItem(ana, 'workspace-suite-none', meta)).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})

describe('Each of the two tenant walls holds without the other', () => {
  it('row-level security: a statement without the customer sees one customer only', async () => {
    const seen = await scope(eve, (tx) => tx.execute('SELECT count(*)::int AS n FROM assets'))
    expect(seen.rows).toEqual([{ n: 0 }])
    const written = await scope(eve, (tx) => tx.execute("UPDATE assets SET name = 'taken'"))
    expect(written.rowCount).toBe(0)
  })

  it('the customer in every statement: without row-level security a foreign asset is still not there', async () => {
    const id = await newAsset({ purchased: 7 })
    await run(database.url, 'ALTER TABLE assets DISABLE ROW LEVEL SECURITY')
    try {
      await expect(readAssetItem(eve, id, meta)).rejects.toMatchObject({ code: 'not_found' })
      expect((await list({}, eve)).assets).toEqual([])
      expect((await list({ filter: { type: ['a', 'workspace-suite'] } }, eve)).assets).toEqual([])
      const summary = await summarizeAssets(eve, { params: {}, query: {}, body: undefined }, meta)
      expect(summary.body.count).toBe(0)
      // The wall was really down: the raw statement does see them.
      const seen = await scope(eve, (tx) => tx.execute('SELECT count(*)::int AS n FROM assets'))
      expect(seen.rows[0]?.n).toBeGreaterThan(0)
    } finally {
      await run(database.url, 'ALTER TABLE assets ENABLE ROW LEVEL SECURITY')
    }
  })

  it.each(['UPDATE audit_events SET action = action', 'DELETE FROM audit_events', 'TRUNCATE audit_events'])(
    'the history is append-only: %s is refused',
    async (query) => {
      const attempt = scope(ana, (tx) => tx.execute(query))
      await expect(attempt).rejects.toMatchObject({ cause: { code: '42501' } })
    },
  )
})
