import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  exportLicenseChanges,
  listLicenseChanges,
  setQuantity,
} from '#lib/licenses/license-changes/operations.ts'
import type { PartialInput } from '#lib/platform/api/client.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer, callerOf } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { readAssetNames, readChoices } from './choices.ts'
import * as contract from './contract.ts'

const origin = { requestId: 'test-request' }
const ODD = "workspace-suite-a|b:[ü] %/?'"
let database: TestDatabase
let ana: Caller
let eve: Caller

beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('northwind')
  await addCustomer('southwind')
  ana = await callerOf('northwind', 'it-manager')
  eve = await callerOf('southwind', 'admin')
  await addAsset('northwind', 'workspace-suite-1', { purchased: 2 }, { name: 'Business Plus' })
  await addAsset('northwind', ODD, { purchased: 2 })
})
afterAll(() => database.close())

type Query = NonNullable<PartialInput<typeof contract.listLicenseChanges>['query']>
const list = async (query: Query, caller = ana) =>
  (await listLicenseChanges(caller, { params: {}, query, body: undefined }, origin)).body
const ids = async (query: Query, caller = ana) =>
  (await list(query, caller)).licenseChanges.map(({ id }) => id)

/** Adds a change from 1 to 2 at a time with microseconds; rejected where a reason is passed. */
async function add(
  customerId: string,
  id: string,
  {
    at,
    assetId = 'workspace-suite-1',
    reason,
  }: { at: string; assetId?: string | undefined; reason?: string | undefined },
) {
  await database.sql(
    customerId,
    `INSERT INTO license_changes (customer_id, id, asset_id, from_quantity, to_quantity, state, vendor_reason,
       actor_kind, actor_id, actor_name, request_id, created_at, settled_at)
     VALUES ($1, $2, $3, 1, 2, $4, $5, 'key', 'K1', 'joiners-sync', 'r', $6, $6)`,
    [customerId, id, assetId, reason === undefined ? 'APPLIED' : 'REJECTED', reason ?? null, at],
  )
}

describe('listLicenseChanges', () => {
  it('returns requests through the API, applied and refused, with their actors', async () => {
    const id = 'workspace-suite-told'
    await addAsset('northwind', id, { purchased: 40, assigned: 30 }, { name: 'Told' })
    const set = (quantity: number) =>
      setQuantity(ana, { params: { asset_id: id }, query: {}, body: { quantity } }, origin)
    await set(45)
    await expect(set(20)).rejects.toMatchObject({ code: 'vendor_rejected' })
    const actor = { kind: 'key', id: ana.id, name: ana.name }
    const common = { id: expect.any(String), assetId: id, assetName: 'Told', type: 'workspace-suite', actor }
    const times = { createTime: expect.any(Number), settleTime: expect.any(Number) }
    const vendorReason = '30 users are assigned. Unassign 10 first, or choose 30 or more.'
    expect(await list({ filter: { asset: [id] } })).toEqual({
      rowCount: 2,
      licenseChanges: [
        { ...common, ...times, from: 45, to: 20, state: 'REJECTED', vendorReason },
        { ...common, ...times, from: 40, to: 45, state: 'APPLIED' },
      ],
    })
  })

  it('pages newest first, each change once, though some share their time but for a microsecond', async () => {
    const times = ['2026-01-01T00:00:00.000001Z', '2026-01-01T00:00:00.000002Z', '2026-01-02T00:00:00Z']
    await addAsset('northwind', 'office-suite-paging', { purchased: 2 })
    for (let index = 0; index < 9; index++)
      await add('northwind', `P${index}`, { at: times[index % 3] ?? '', assetId: 'office-suite-paging' })
    const filter = { asset: ['office-suite-paging'] }
    const all = await ids({ filter })
    expect(all).toEqual(['P8', 'P5', 'P2', 'P7', 'P4', 'P1', 'P6', 'P3', 'P0'])
    const seen: string[] = []
    let page = await list({ filter, maxResults: 2 })
    for (; ; page = await list({ filter, maxResults: 2, pageToken: page.pageToken })) {
      expect(page.rowCount).toBe(page.licenseChanges.length)
      seen.push(...page.licenseChanges.map(({ id }) => id))
      if (!page.pageToken) break
    }
    expect(seen).toEqual(all)
    expect(await ids({ filter, maxResults: 2, pageToken: page.previousPageToken })).toEqual(all.slice(6, 8))
    const foreign = list({ maxResults: 2, pageToken: page.previousPageToken })
    await expect(foreign).rejects.toMatchObject({ code: 'page_token_invalid' })
  })

  it('filters by asset and state, whatever the id contains; an unknown id results in an empty list', async () => {
    await add('northwind', 'F1', { at: '2025-01-01T00:00:00Z', assetId: ODD })
    await add('northwind', 'F2', { at: '2025-01-02T00:00:00Z', assetId: ODD, reason: 'no' })
    expect(await ids({ filter: { asset: [ODD] } })).toEqual(['F2', 'F1'])
    expect(await ids({ filter: { asset: [ODD], state: ['REJECTED'] } })).toEqual(['F2'])
    expect(await ids({ filter: { asset: [ODD], state: ['REJECTED', 'APPLIED'] } })).toHaveLength(2)
    expect(await list({ filter: { asset: ["x' OR '1'='1"] } })).toEqual({ licenseChanges: [], rowCount: 0 })
    expect(await ids({ filter: { state: ['SENT'] } })).toEqual([])
  })

  it('takes in both bounds of time, a second all of it', async () => {
    await addAsset('northwind', 'office-suite-times', { purchased: 2 })
    const filter = { asset: ['office-suite-times'] }
    const at = ['2024-05-01T23:59:59.9999Z', '2024-05-02T00:00:00Z', '2024-05-02T12:00:00.000999Z']
    for (const [index, time] of at.entries())
      await add('northwind', `T${index}`, { at: time, assetId: 'office-suite-times' })
    const between = async (minCreationTime: string, maxCreationTime: string) => {
      const bounds = z.decode(contract.listLicenseChanges.query, { minCreationTime, maxCreationTime })
      return ids({ ...bounds, filter })
    }
    const day = Date.UTC(2024, 4, 2) / 1000
    expect(await between(`${day - 1}`, `${day - 1}`)).toEqual(['T0'])
    expect(await between(`${day}`, `${day}`)).toEqual(['T1'])
    expect(await between(`${day}`, `${day + 43_200}000`)).toEqual(['T2', 'T1'])
    expect(await between('0', '9007199254740991')).toEqual(['T2', 'T1', 'T0'])
    expect(await between(`${day + 1}`, `${day}`)).toEqual([])
    const far = { filter, minCreationTime: Number.MAX_SAFE_INTEGER, maxCreationTime: 5 }
    expect(await ids(far)).toEqual([])
  })

  it.each([
    { filter: 'type:workspace-suite' },
    { filter: 'asset:' },
    { minCreationTime: '-1' },
    { maxCreationTime: 'yesterday' },
    { maxResults: '0' },
  ])('the contract refuses %j', (query) => {
    expect(z.safeDecode(contract.listLicenseChanges.query, query).success).toBe(false)
  })

  it.each(['nonsense', 'W10', ''.padEnd(40, 'A')])('refuses the page token %s', async (pageToken) => {
    await expect(list({ pageToken })).rejects.toMatchObject({ code: 'page_token_invalid' })
  })

  it('rejects callers who are not Licenses Managers', async () => {
    const finance = await callerOf('northwind', 'finance-user')
    await expect(list({}, finance)).rejects.toMatchObject({ code: 'permission_denied' })
    await expect(list({}, await callerOf('northwind'))).rejects.toBeInstanceOf(Problem)
    expect((await list({}, await callerOf('northwind', 'admin'))).rowCount).toBeGreaterThan(0)
  })
})

describe('each of the two tenant walls holds without the other', () => {
  it("Another customer's changes are hidden behind both walls, though its asset has the same id", async () => {
    await addAsset('southwind', 'workspace-suite-1', { purchased: 2 }, { name: 'Foreign' })
    await add('southwind', 'S1', { at: '2026-02-01T00:00:00Z' })
    expect(await ids({}, eve)).toEqual(['S1'])
    expect(await ids({ filter: { asset: ['workspace-suite-1'] } })).not.toContain('S1')
  })

  it('row-level security: a statement without the customer sees one customer only', async () => {
    const seen = await scope(eve, (tx) => tx.execute('SELECT count(*)::int AS n FROM license_changes'))
    expect(seen.rows).toEqual([{ n: 1 }])
  })

  it('the customer in the statement: without row-level security foreign changes are still not there', async () => {
    for (const table of ['license_changes', 'assets'])
      await run(database.url, `ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`)
    try {
      const { licenseChanges } = await list({}, eve)
      // Exactly once, and with the name of its asset: the join compares the customer, too.
      expect(licenseChanges.map(({ id, assetName }) => [id, assetName])).toEqual([['S1', 'Foreign']])
      expect(await ids({ filter: { asset: ['workspace-suite-1', ODD] } }, eve)).toEqual(['S1'])
      // The wall was really down: the raw statement does see them.
      const seen = await scope(eve, (tx) => tx.execute('SELECT count(*)::int AS n FROM license_changes'))
      expect(seen.rows[0]?.n).toBeGreaterThan(1)
    } finally {
      for (const table of ['license_changes', 'assets'])
        await run(database.url, `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`)
    }
  })
})

it('Changes are filtered by actor and exported with the same rows; their actors and assets are choices', async () => {
  await add('northwind', 'by-key', { at: '2026-03-01T00:00:00Z' })
  const filter = { actor: ['K1'] }
  const listed = await ids({ filter })
  expect(listed).toContain('by-key')
  expect(await ids({ filter: { actor: ['K2'] } })).toEqual([])
  const exported = async (query: Parameters<typeof exportLicenseChanges>[1]['query']) => {
    const { body } = await exportLicenseChanges(ana, { params: {}, query, body: undefined }, origin)
    const text = (await Array.fromAsync(body)).join('')
    return parse<Record<string, string>>(text, { bom: true, columns: true })
  }
  const rows = await exported({ filter })
  expect(rows.map(({ id }) => id).slice(0, listed.length)).toEqual(listed)
  expect(rows.find(({ id }) => id === 'by-key')).toMatchObject({
    ...{ time: '2026-03-01T00:00:00.000Z', assetName: 'Business Plus', from: '1', to: '2', difference: '1' },
    ...{ state: 'APPLIED', actorName: 'joiners-sync', acknowledgedTime: '' },
  })
  const readable = await exported({ filter, columns: 'words' })
  expect(readable).toHaveLength(rows.length)
  expect(readable.find((row) => row['Time (UTC)'] === '2026-03-01T00:00:00.000Z')).toEqual({
    ...{ 'Time (UTC)': '2026-03-01T00:00:00.000Z', Product: 'Business Plus', Platform: 'Workspace suite' },
    ...{ 'Licenses before': '1', 'Licenses after': '2', Difference: '1' },
    ...{ 'Changed by': 'API key “joiners-sync”', Outcome: 'Applied', Reason: '' },
  })
  const { people, products } = await readChoices(ana)
  expect(people).toContainEqual({ id: 'K1', kind: 'key', name: 'joiners-sync' })
  expect(products).toContainEqual({ id: 'workspace-suite-1', name: 'Business Plus' })
  expect(await readAssetNames(ana, ['workspace-suite-1', 'none'])).toEqual({
    'workspace-suite-1': 'Business Plus',
  })
  // An asset of the same id, or none.
  expect((await readAssetNames(eve, ['workspace-suite-1']))['workspace-suite-1']).not.toBe('Business Plus')
})
