import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { validateKey } from '#lib/identity/keys/operations.ts'
import * as assets from '#lib/licenses/assets/operations.ts'
import * as changes from '#lib/licenses/license-changes/operations.ts'
import { openDatabase } from '#lib/platform/db/client.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addKey, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { route } from './endpoint.ts'

const ASSET = '/billing/v1/assets/workspace-suite-1'
const ROUTES: Record<string, ReturnType<typeof route>> = {
  '/auth/v1/validate': route(validateKey),
  '/billing/v1/assets': route(assets.listAssets),
  '/billing/v1/assets.csv': route(assets.exportAssets),
  [ASSET]: route(assets.readAsset, changes.setQuantity),
}

let database: TestDatabase
let customer: string
let key: string

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await database.close()
})
beforeEach(async () => {
  limits({ REQUESTS: 8, CHANGES: 2, EXPORTS: 2, TOGETHER: 2 })
  customer = await addNewCustomer()
  await addAsset(customer, 'workspace-suite-1', { purchased: 10, assigned: 4 })
  key = await addKey(customer, ['it-manager'])
  await untilMinuteHasTime()
})

function limits(overrides: Record<string, number>) {
  for (const [name, limit] of Object.entries(overrides)) vi.stubEnv(`RATE_LIMIT_${name}`, String(limit))
}

/**
 * Waits for the next minute in the last seconds of the current one: a test across the boundary would count in two
 * windows.
 */
async function untilMinuteHasTime(): Promise<void> {
  const second = async () => {
    const { rows } = await database.opened.keys.query(
      'SELECT extract(second FROM clock_timestamp())::int AS s',
    )
    return rows[0].s as number
  }
  if ((await second()) > 45) await expect.poll(second, { interval: 250 }).toBeLessThan(45)
}

type Sent = { method?: string; key?: string; body?: string; headers?: Record<string, string> }

async function send(target: string, { method = 'GET', key: by = key, body, headers = {} }: Sent = {}) {
  const url = new URL(target, 'http://console.example')
  const json: Record<string, string> =
    body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': `${body.length}` }
  const request = new Request(url, {
    method,
    headers: { Authorization: `Bearer ${by}`, ...json, ...headers },
    ...(body === undefined ? {} : { body }),
  })
  const response = await ROUTES[url.pathname]?.[method as 'GET'](request)
  if (!response) throw new Error(`nothing answers ${target}`)
  const text = await response.text()
  const { headers: fields } = response
  return {
    status: response.status,
    text,
    code: text.startsWith('{"type"') ? JSON.parse(text).code : undefined,
    tag: fields.get('ETag'),
    wait: Number(fields.get('Retry-After')),
    policy: fields.get('RateLimit-Policy'),
    left: Object.fromEntries(
      [...(fields.get('RateLimit') ?? '').matchAll(/"([\w-]+)";r=(\d+);t=\d+/g)].map(([, name, r]) => [
        name,
        Number(r),
      ]),
    ),
  }
}

const patch = (quantity: number, headers = {}, query = '') =>
  send(ASSET + query, { method: 'PATCH', body: JSON.stringify({ quantity }), headers })

describe('an authenticated caller', () => {
  test('gets its limits and the rest of its quota with every answer', async () => {
    const first = await send('/auth/v1/validate')
    expect(first).toMatchObject({
      status: 200,
      policy: '"requests";q=8;w=60, "customer-requests";q=16;w=60',
      left: { requests: 7, 'customer-requests': 15 },
    })
    const answers = [
      await send('/billing/v1/assets', { headers: { 'If-None-Match': '*' } }),
      await send('/auth/v1/validate', { method: 'DELETE' }),
      await send('/billing/v1/assets?maxResults=x'),
      await send('/billing/v1/assets', { key: await addKey(customer, []) }),
    ]
    expect(answers.map(({ status, left }) => [status, left.requests])).toEqual([
      [304, 6],
      [405, 5],
      [400, 4],
      [403, 7],
    ])
    expect(answers.at(-1)?.left['customer-requests']).toBe(11)
  })

  test('gets 429 with the time to wait when its quota is used up, and nothing is done', async () => {
    for (let n = 0; n < 8; n++) expect((await send('/auth/v1/validate')).status).toBe(200)
    for (const rejected of [
      await send('/auth/v1/validate'),
      await patch(11),
      await send('/billing/v1/assets.csv'),
    ]) {
      expect(rejected).toMatchObject({ status: 429, code: 'rate_limited', left: { requests: 0 } })
      expect(rejected.wait).toBeGreaterThan(0)
      expect(rejected.wait).toBeLessThanOrEqual(60)
    }
    const other = await addKey(customer, ['it-manager'])
    expect(
      JSON.parse((await send(ASSET, { key: other })).text).properties.subscription.Seats.NumberOfSeats,
    ).toBe(10)
  })

  test('gets exactly its quota of ten times as many parallel requests', async () => {
    limits({ REQUESTS: 50 })
    const newCustomer = await addNewCustomer()
    const by = await addKey(newCustomer, ['it-manager'])
    // On a busy machine some requests get 503 and Retry-After, which costs no quota.
    const untilAnswered = async (): Promise<number> => {
      const { status } = await send('/auth/v1/validate', { key: by })
      return status === 503 ? untilAnswered() : status
    }
    const statuses = await Promise.all(Array.from({ length: 500 }, untilAnswered))
    const counts = Map.groupBy(statuses, (status) => status)
    expect([counts.get(200)?.length, counts.get(429)?.length]).toEqual([50, 450])
  })

  test("shares its customer's quota with the customer's other keys", async () => {
    const keys = [key, await addKey(customer, []), await addKey(customer, [])]
    const statuses = []
    for (const by of keys)
      for (let n = 0; n < 7; n++) statuses.push((await send('/auth/v1/validate', { key: by })).status)
    expect(statuses).toEqual([...Array(16).fill(200), ...Array(5).fill(429)])
    const rejected = await send('/auth/v1/validate', { key: keys[2] as string })
    expect(rejected.text).toContain(
      'All keys and sessions of a customer together may have 16 requests a minute',
    )
    expect((await send('/auth/v1/validate', { key: await addKey(await addNewCustomer(), []) })).status).toBe(
      200,
    )
  })
})

describe('a license change', () => {
  test('counts separately, replays included and dry runs excluded; a refused one changes nothing', async () => {
    const named = { 'Idempotency-Key': 'the-same' }
    const first = await patch(12, named)
    expect(first).toMatchObject({ status: 200, left: { changes: 1, 'customer-changes': 3, requests: 7 } })
    const replay = await patch(12, named)
    expect([replay.text, replay.tag, replay.left.changes]).toEqual([first.text, first.tag, 0])
    expect(await patch(13)).toMatchObject({
      status: 429,
      code: 'rate_limited',
      left: { changes: 0, requests: 6 },
    })
    expect((await patch(13, {}, '?dryRun=true')).status).toBe(200)
    expect((await send(ASSET)).text).toContain('"NumberOfSeats":12')
  })
})

test('an export counts separately', async () => {
  const statuses = []
  for (let n = 0; n < 3; n++) statuses.push((await send('/billing/v1/assets.csv')).status)
  expect(statuses).toEqual([200, 200, 429])
  expect((await send('/billing/v1/assets')).status).toBe(200)
})

describe('an unauthenticated caller', () => {
  test('gets no limit headers', async () => {
    for (const by of ['lic_nonsense', `lic_${'a'.repeat(36)}`])
      expect(await send('/auth/v1/validate', { key: by })).toMatchObject({
        status: 401,
        policy: null,
        left: {},
      })
  })

  test('gets 401 a second after its key was revoked, although the key was over its limit', async () => {
    for (let n = 0; n < 9; n++) await send('/auth/v1/validate')
    await database.sql(customer, 'UPDATE api_keys SET revoked_at = now()')
    await expect.poll(async () => (await send('/auth/v1/validate')).status).toBe(401)
  })
})

test('a client that ignores refusals costs at most one look-up per second', async () => {
  for (let n = 0; n < 9; n++) await send('/auth/v1/validate')
  const unreachable = openDatabase('postgres://nobody@127.0.0.1:1/none')
  try {
    expect((await send('/auth/v1/validate')).status).toBe(429)
    await expect.poll(async () => (await send('/auth/v1/validate')).status).toBe(503)
  } finally {
    await unreachable.close()
  }
})

test('a failing limit store admits no caller', async () => {
  const one = await addKey(customer, [])
  const owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
  try {
    await owner.query('BEGIN')
    await owner.query('LOCK TABLE limit_windows')
    expect((await send('/auth/v1/validate', { key: one })).status).toBe(503)
  } finally {
    await owner.end()
  }
  expect((await send('/auth/v1/validate', { key: one })).status).toBe(200)
})
