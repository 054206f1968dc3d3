import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readAsset } from '#lib/licenses/assets/operations.ts'
import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { route } from '#lib/platform/api/endpoint.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer, addKey } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'

const asset = route(readAsset, setQuantity)
let database: TestDatabase
const keys = { ana: '', ben: '', finance: '', other: '' }
let made = 0

beforeAll(async () => {
  database = await testDatabase()
  for (const id of ['northwind', 'southwind']) await addCustomer(id)
  keys.ana = await addKey('northwind', ['it-manager'], { name: 'Ana' })
  keys.ben = await addKey('northwind', ['it-manager'], { name: 'Ben' })
  keys.finance = await addKey('northwind', ['finance-user'])
  keys.other = await addKey('southwind', ['admin'])
})
afterAll(() => database.close())

async function newAsset(subscription: Parameters<typeof addAsset>[2]): Promise<string> {
  const id = `workspace-suite-${++made}`
  await addAsset('northwind', id, subscription)
  return id
}

type Sent = { key?: string; headers?: Record<string, string>; search?: string }

async function patch(
  id: string,
  quantity: unknown,
  { key = keys.ana, headers = {}, search = '' }: Sent = {},
) {
  const body = JSON.stringify({ quantity })
  const baseHeaders = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': `${body.length}`,
  }
  const url = `http://console.example/billing/v1/assets/${id}${search}`
  const response = await asset.PATCH(
    new Request(url, { method: 'PATCH', headers: { ...baseHeaders, ...headers }, body }),
  )
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) }
}

async function read(id: string) {
  const url = `http://console.example/billing/v1/assets/${id}`
  const response = await asset.GET(new Request(url, { headers: { authorization: `Bearer ${keys.ana}` } }))
  const json = await response.json()
  return {
    etag: response.headers.get('etag') ?? '',
    quantity: json.properties.subscription.Seats.NumberOfSeats,
  }
}

const changesOf = (id: string) =>
  database.sql(
    'northwind',
    'SELECT to_quantity, state FROM license_changes WHERE asset_id = $1 ORDER BY created_at',
    [id],
  )

describe('If-Match', () => {
  it('lets through the version that it names, and tells the other who was first', async () => {
    const id = await newAsset({ purchased: 50 })
    const { etag } = await read(id)
    const first = await patch(id, 55, { key: keys.ana, headers: { 'if-match': etag } })
    expect([first.status, first.headers.get('etag')]).toEqual([200, (await read(id)).etag])
    const second = await patch(id, 60, { key: keys.ben, headers: { 'if-match': etag } })
    expect([second.status, second.json]).toEqual([
      412,
      expect.objectContaining({
        code: 'version_mismatch',
        current: 55,
        changedBy: 'API key Ana',
        changedAt: expect.any(Number),
        etag: first.headers.get('etag'),
      }),
    ])
    expect((await read(id)).quantity).toBe(55)
    expect((await patch(id, 60, { key: keys.ben, headers: { 'if-match': second.json.etag } })).status).toBe(
      200,
    )
  })

  it('names the operator, and never a vendor, where no change made the seats what they are in our own books', async () => {
    const id = await newAsset({ purchased: 50 })
    const { etag } = await read(id)
    await patch(id, 51)
    await database.sql(
      'northwind',
      'UPDATE assets SET seats_purchased = 70, seat_version = 9 WHERE id = $1',
      [id],
    )
    const { json } = await patch(id, 60, { headers: { 'if-match': etag } })
    expect(json).toMatchObject({ code: 'version_mismatch', current: 70, changedBy: 'Operator' })
    expect(json).not.toHaveProperty('changedAt')
  })

  it('compares the seat version alone: assigned seats may have moved', async () => {
    const id = await newAsset({ purchased: 50 })
    const { etag } = await read(id)
    await database.sql('northwind', 'UPDATE assets SET seats_assigned = 7 WHERE id = $1', [id])
    expect((await read(id)).etag).not.toBe(etag)
    expect((await patch(id, 51, { headers: { 'if-match': `"0.x", ${etag}` } })).status).toBe(200)
    expect((await patch(id, 52, { headers: { 'if-match': '*' } })).status).toBe(200)
  })

  it.each([['"2x.abc"'], ['"other"'], ['W/"1.abc"']])('412 for %s', async (tag) => {
    const id = await newAsset({ purchased: 5 })
    expect((await patch(id, 6, { headers: { 'if-match': tag } })).status).toBe(412)
    expect(await changesOf(id)).toEqual([])
  })

  it('400 for what is no list of ETags', async () => {
    const { status, json } = await patch(await newAsset({ purchased: 5 }), 6, {
      headers: { 'if-match': '1.abc' },
    })
    expect([status, json.errors[0].parameter]).toEqual([400, 'if-match'])
  })

  it('comes after 404 and 422, and before 409', async () => {
    const headers = { 'if-match': '"0.x"' }
    await addAsset('northwind', 'cloud-platform-1', null)
    expect((await patch('workspace-suite-none', 5, { headers })).status).toBe(404)
    expect((await patch('cloud-platform-1', 5, { headers })).json.code).toBe('quantity_not_supported')
    const suspended = await newAsset({ purchased: 5, status: 'SUSPENDED' })
    expect((await patch(suspended, 6, { headers })).status).toBe(412)
  })

  it('of many racing writers of one version, one wins', async () => {
    const id = await newAsset({ purchased: 10 })
    const headers = { 'if-match': (await read(id)).etag }
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => patch(id, 11 + n, { headers })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await changesOf(id)).toHaveLength(1)
  })
})

describe('Idempotency-Key', () => {
  const keyed = (key: string) => ({ 'idempotency-key': key })

  it('has one effect, and the same bytes for the repeat', async () => {
    const id = await newAsset({ purchased: 10 })
    const first = await patch(id, 11, { headers: keyed('one') })
    await patch(id, 12)
    const again = await patch(id, 11, { headers: keyed('one') })
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([
      200,
      first.text,
      first.headers.get('etag'),
    ])
    expect(again.headers.get('request-id')).not.toBe(first.headers.get('request-id'))
    expect((await read(id)).quantity).toBe(12)
    expect(await changesOf(id)).toHaveLength(2)
  })

  it('has one effect also when ten arrive at once', async () => {
    const id = await newAsset({ purchased: 10 })
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => patch(id, 11, { headers: keyed('many') })),
    )
    expect(new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text)).size).toBe(1)
    expect(await changesOf(id)).toHaveLength(1)
  })

  it.each([
    ['decrease_not_allowed', { purchased: 9, isCommitmentPlan: true }, {}],
    ['subscription_not_active', { purchased: 9, status: 'PENDING' }, {}],
    ['vendor_rejected', { purchased: 9, assigned: 9 }, {}],
    ['version_mismatch', { purchased: 9 }, { 'if-match': '"0.x"' }],
  ])('keeps %s to the byte, though it would be allowed now', async (code, subscription, more) => {
    const id = await newAsset(subscription)
    const headers = { ...keyed(`refused-${code}`), ...more }
    const first = await patch(id, 8, { headers })
    expect(first.json.code).toBe(code)
    await database.sql(
      'northwind',
      "UPDATE assets SET is_commitment_plan = false, status = 'ACTIVE', seats_assigned = 0, seat_version = 0 WHERE id = $1",
      [id],
    )
    const again = await patch(id, 8, { headers })
    expect([again.status, again.text]).toEqual([first.status, first.text])
    expect((await patch(id, 8)).status).toBe(200)
  })

  it('keeps an answer for its time from when it was known, though that took a day', async () => {
    const id = await newAsset({ purchased: 10 })
    const headers = keyed('slow')
    const first = await patch(id, 20, { headers })
    // Simulates a change whose outcome a job has found a day after the request.
    await database.sql(
      'northwind',
      `UPDATE idempotency_keys SET code = NULL, body = NULL, packed = NULL, created_at = now() - interval '25 hours',
         change_id = (SELECT id FROM license_changes WHERE customer_id = $2 AND asset_id = $1)
       WHERE customer_id = $2 AND key = 'slow'`,
      [id, 'northwind'],
    )
    expect((await patch(id, 20, { headers })).status).toBe(first.status)
    await patch(id, 15)
    expect((await patch(id, 20, { headers })).status).toBe(first.status)
    expect((await read(id)).quantity).toBe(15)
    expect(await changesOf(id)).toHaveLength(2)
  })

  it('refuses the key for another request, of the same and of another asset', async () => {
    const [id, other] = [await newAsset({ purchased: 10 }), await newAsset({ purchased: 10 })]
    await patch(id, 11, { headers: keyed('taken') })
    for (const [target, quantity] of [
      [id, 12],
      [other, 11],
    ] as const) {
      const { status, json } = await patch(target, quantity, { headers: keyed('taken') })
      expect([status, json.code]).toEqual([422, 'idempotency_key_reused'])
    }
    expect([await changesOf(id), await changesOf(other)].map(({ length }) => length)).toEqual([1, 0])
  })

  it('stands for one request, where two of them come with it at once for two assets', async () => {
    const ids = await Promise.all([newAsset({ purchased: 50 }), newAsset({ purchased: 50 })])
    for (let round = 0; round < 5; round++) {
      const headers = { 'idempotency-key': `two-at-once-${round}` }
      const answers = await Promise.all(ids.map((id) => patch(id, 60 + round, { headers })))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
      const done = ids[answers.findIndex(({ status }) => status === 200)] ?? ''
      const other = ids.find((id) => id !== done) ?? ''
      expect((await read(done)).quantity).toBe(60 + round)
      expect((await read(other)).quantity).not.toBe(60 + round)
      const [again] = await Promise.all([patch(done, 60 + round, { headers })])
      expect(again?.text).toBe(answers.find(({ status }) => status === 200)?.text)
    }
  })

  it('belongs to one caller; the permission comes before any replay', async () => {
    const id = await newAsset({ purchased: 10 })
    await patch(id, 11, { headers: keyed('mine') })
    expect((await patch(id, 12, { key: keys.ben, headers: keyed('mine') })).status).toBe(200)
    expect((await patch(id, 11, { key: keys.finance, headers: keyed('mine') })).status).toBe(403)
    expect((await patch(id, 11, { key: keys.other, headers: keyed('mine') })).status).toBe(404)
  })

  it('keeps nothing of a request that settled nothing', async () => {
    expect((await patch('workspace-suite-late', 6, { headers: keyed('early') })).status).toBe(404)
    await addAsset('northwind', 'workspace-suite-late', { purchased: 5 })
    expect((await patch('workspace-suite-late', 6, { headers: keyed('early') })).status).toBe(200)
  })

  it('is free again after 24 hours', async () => {
    const id = await newAsset({ purchased: 10 })
    await patch(id, 11, { headers: keyed('old') })
    const age = (hours: number) =>
      run(
        database.url,
        `ALTER TABLE idempotency_keys DISABLE ROW LEVEL SECURITY;
         UPDATE idempotency_keys SET created_at = now() - interval '${hours} hours' WHERE key = 'old';
         ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY`,
      )
    await age(23)
    expect((await patch(id, 12, { headers: keyed('old') })).status).toBe(422)
    await age(25)
    expect((await patch(id, 12, { headers: keyed('old') })).status).toBe(200)
  })

  it.each([['x'.repeat(256)], ['two words'], ['']])('400 for the key "%.20s"', async (key) => {
    const { status, json } = await patch(await newAsset({ purchased: 5 }), 6, { headers: keyed(key) })
    expect([status, json.errors[0].parameter]).toEqual([400, 'idempotency-key'])
  })
})

describe('dryRun', () => {
  const search = '?dryRun=true'

  it('says so also where there is no such asset', async () => {
    const { status, headers } = await patch('workspace-suite-none', 195, { search })
    expect([status, headers.get('dry-run')]).toEqual([404, 'true'])
  })

  it('answers as the change would, and changes nothing', async () => {
    const id = await newAsset({ purchased: 240, assigned: 182 })
    const before = await read(id)
    const { status, headers, json } = await patch(id, 195, { search, headers: { 'idempotency-key': 'dry' } })
    expect([status, headers.get('dry-run')]).toEqual([200, 'true'])
    expect(json.properties.subscription.Seats.NumberOfSeats).toBe(195)
    expect([await read(id), await changesOf(id)]).toEqual([before, []])
    expect(
      (await patch(id, 195, { headers: { 'idempotency-key': 'dry' } })).headers.get('dry-run'),
    ).toBeNull()
    expect((await read(id)).quantity).toBe(195)
  })

  it.each([
    ['vendor_rejected', { purchased: 9, assigned: 9 }],
    ['decrease_not_allowed', { purchased: 9, isCommitmentPlan: true }],
    ['subscription_not_active', { purchased: 9, status: 'CANCELLED' }],
  ])('tells %s beforehand', async (code, subscription) => {
    const id = await newAsset(subscription)
    const { headers, json } = await patch(id, 8, { search })
    expect([json.code, headers.get('dry-run')]).toEqual([code, 'true'])
    expect(await changesOf(id)).toEqual([])
  })

  it('400 for what is neither true nor false', async () => {
    expect((await patch(await newAsset({ purchased: 5 }), 6, { search: '?dryRun=yes' })).status).toBe(400)
  })
})
