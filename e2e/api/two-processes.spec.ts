import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, test } from '@playwright/test'
import { asset, newCustomer } from '../admin.ts'
import { type AppDatabase, createDatabase } from '../database.ts'
import { isolatedEnvironment, operate, postmaster, startIsolatedApp } from '../isolated-app.ts'
import { openConnection } from '../tcp-connection.ts'
import { connectToEach, workersOf } from '../workers.ts'

// Only in a deep run, because unit tests find the usual faults of each part: two processes share a port, a database,
// keys, limits and assistants' confirmations. A trusted proxy forwards the client's address.

let data: string
let database: AppDatabase
let env: NodeJS.ProcessEnv
let app: Awaited<ReturnType<typeof startIsolatedApp>>
let customer: Awaited<ReturnType<typeof newCustomer>>
/** A customer without requests before its limit: the running minute keeps the limit that it began with. */
let limited: Awaited<ReturnType<typeof newCustomer>>

test.describe.configure({ mode: 'serial' })

test.beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'licenses-invoices-two-'))
  database = await createDatabase()
  env = isolatedEnvironment(data, {
    ...database.settings,
    ...{ TRUST_PROXY: '1', WEB_CONCURRENCY: '2', DRAIN_SECONDS: '0' },
    ...{ RATE_LIMIT_REQUESTS: '', RATE_LIMIT_STRANGERS: '150' },
  })
  app = await startIsolatedApp(env)
  customer = await newCustomer('shared', env)
})
test.afterAll(async () => {
  app?.kill('SIGTERM')
  await app?.ended
  await database?.drop()
  rmSync(data, { recursive: true, force: true })
})

test('two processes share one port and one database', { tag: '@deep' }, async () => {
  // The log may arrive a moment after the line with the address.
  await expect.poll(() => workersOf(app)).toEqual([1, 2])
  expect(app.output()).toMatch(/^Listening on http:\/\/127\.0\.0\.1:\d+ \(PostgreSQL .*, 2 processes\)$/m)
  for (const line of await connectToEach(app, 1, 2)) {
    for (const address of ['/livez', '/healthz', '/readyz'])
      expect(await line.request(address)).toMatchObject({ status: 200, body: 'ok' })
    line.close()
  }
})

const validate = (key: string, from?: string) =>
  fetch(`${app.url}/auth/v1/validate`, {
    headers: { authorization: `Bearer ${key}`, ...(from ? { 'x-forwarded-for': from } : {}) },
  })
async function admin(...args: string[]) {
  const { code, out } = await operate(env, [...args, '--customer', customer.id])
  expect(code).toBe(0)
  return out.trim()
}

async function deniedAddresses(): Promise<string[]> {
  const events: { action: string; address: string }[] = JSON.parse(await admin('audit', 'list', '--json'))
  return events.filter(({ action }) => action === 'key.refused').map(({ address }) => address)
}

test('a key with an IP allowlist works only from these networks, as the proxy reports them', {
  tag: '@deep',
}, async () => {
  const networks = ['--address', '198.51.100.0/24', '--address', '2001:db8::/32']
  const key = await admin('keys', 'issue', '--name', 'ERP', '--role', 'it-manager', ...networks)
  for (const [from, status] of [
    ['198.51.100.7', 200],
    ['[2001:DB8:1::9]:443', 200],
    ['::ffff:198.51.100.8', 200],
    ['203.0.113.9', 401],
    // Entries written by the client come first in the header.
    ['198.51.100.7, 203.0.113.9', 401],
    ['203.0.113.9, 198.51.100.7', 200],
    // Without a valid entry, the proxy's own address counts, as without the header.
    ['unknown', 401],
    [undefined, 401],
  ] as const)
    expect([from, (await validate(key, from)).status]).toEqual([from, status])
  const rejected = await (await validate(key, '203.0.113.9')).json()
  const unknown = await (await validate(`${key.slice(0, -1)}x`, '203.0.113.9')).json()
  expect({ ...rejected, instance: '' }).toEqual({ ...unknown, instance: '' })
  const [listed] = JSON.parse(await admin('keys', 'list', '--json'))
  expect(listed.lastUsedAddress).toBe('198.51.100.7')
  // Written after the answer.
  await expect.poll(deniedAddresses).toContain('203.0.113.9')
})

test('a revealed key opens nothing in any process, and gets the same answer as an unknown one', {
  tag: '@deep',
}, async () => {
  const key = await customer.key('it-manager')
  const show = async (token: string) => {
    const response = await fetch(`${app.url}/auth/v1/leaked-keys`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([{ token, type: 'licenses_invoices_key', url: 'https://code.example' }]),
    })
    return [response.status, await response.json()]
  }
  const statuses = async () =>
    new Set(
      // Another address: the limit of strangers is tested below.
      await Promise.all(Array.from({ length: 20 }, async () => (await validate(key, '192.0.2.7')).status)),
    )
  expect(await statuses()).toEqual(new Set([200]))
  const answered = await show(key)
  expect(await statuses()).toEqual(new Set([401]))
  expect(answered).toEqual([200, { received: 1 }])
  expect(await show('nonsense')).toEqual(answered)
})

/** @param from each test has an address of its own, because a new key counts as a stranger's until it is known */
const bearer = (key: string, from: string) => ({
  headers: { authorization: `Bearer ${key}`, 'x-forwarded-for': from },
})

/** Address of the assistants below, which connect to either process. */
const ASSISTANT = '192.0.2.20'

/** Connects a client whose person accepts, and records the calls of tools that it sends. */
async function connectAssistant(key: string) {
  const sent: RequestInit[] = []
  const client = new Client(
    { name: 'test', version: '1' },
    {
      versionNegotiation: { mode: { pin: '2026-07-28' } },
      capabilities: { elicitation: { form: {} } },
    },
  )
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { confirm: true } }))
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', app.url), {
    requestInit: { headers: { Authorization: `Bearer ${key}`, 'X-Forwarded-For': ASSISTANT } },
    fetch: (url, init = {}) => {
      sent.push(init)
      return fetch(url, init)
    },
  })
  await client.connect(transport)
  return { client, sent }
}

test('an assistant lists, reads and changes; the confirmation then counts in no process', {
  tag: '@deep',
}, async () => {
  await customer.importAssets([asset('workspace-suite-1', 'Suite', { purchased: 10 })])
  const { client, sent } = await connectAssistant(await customer.key('it-manager'))
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['list_assets', 'order_renewal']))
  expect(tools.map(({ name }) => name)).not.toContain('list_invoices')
  const quantity = async () => {
    const { structuredContent } = await client.callTool({ name: 'list_assets', arguments: {} })
    return (structuredContent as { data: { assets: { quantity: number }[] } }).data.assets[0]?.quantity
  }
  expect(await quantity()).toBe(10)
  const args = { asset_id: 'workspace-suite-1', quantity: 12 }
  expect((await client.callTool({ name: 'set_license_quantity', arguments: args })).isError).not.toBe(true)
  expect(await quantity()).toBe(12)
  const confirmed = sent.find(({ body }) => String(body).includes('requestState'))
  expect(confirmed).toBeDefined()
  const repeats = await Promise.all(
    Array.from({ length: 20 }, async () => (await fetch(new URL('/mcp', app.url), confirmed)).text()),
  )
  expect(repeats.filter((text) => !text.includes('confirmation_refused'))).toEqual([])
  expect(await quantity()).toBe(12)
  await client.close()
})

test('two processes together let exactly the limit of parallel requests through', {
  tag: '@deep',
}, async () => {
  limited = await newCustomer('limited', env)
  await limited.importAssets([asset('workspace-suite-1', 'Suite', { purchased: 10 })])
  await limited.limits('--requests', '60')
  const lines = [
    ...(await connectToEach(app, 1, 2)),
    ...Array.from({ length: 28 }, () => openConnection(app.url)),
  ]
  const minute = () => Math.floor(Date.now() / 60_000)
  let [started, counts] = [-1, [0, 0]]
  // Requests across the end of a minute count in two: once more, with a key of its own.
  while (started !== minute()) {
    const key = await limited.key('it-manager')
    started = minute()
    const answers = await Promise.all(
      lines.map(async (line) => {
        const statuses = []
        for (let n = 0; n < 20; n++)
          statuses.push((await line.request('/auth/v1/validate', bearer(key, '192.0.2.8'))).status)
        return statuses
      }),
    )
    counts = [200, 429].map((code) => answers.flat().filter((status) => status === code).length)
  }
  expect(counts).toEqual([60, 540])
  for (const line of lines) line.close()
})

test('a limit set by the operator applies without a restart and appears in the answers', {
  tag: '@deep',
}, async () => {
  const key = await limited.key('it-manager')
  const line = openConnection(app.url)
  const policy = async () =>
    (await line.request('/billing/v1/assets', bearer(key, '192.0.2.9'))).headers['ratelimit-policy']
  expect(await policy()).toBe('"requests";q=60;w=60, "customer-requests";q=300;w=60')
  await limited.limits('--requests', 'default', '--together', '7')
  const other = await limited.key('it-manager')
  const { headers } = await line.request('/billing/v1/assets', bearer(other, '192.0.2.9'))
  expect(headers['ratelimit-policy']).toContain('"requests";q=1000;w=60')
  expect(headers.ratelimit).toMatch(/^"requests";r=\d+;t=\d+, "customer-requests";r=\d+;t=\d+$/)
  line.close()
})

test('strangers are refused at the door, known callers and health checks are not', {
  tag: '@deep',
}, async () => {
  const [line, other] = await connectToEach(app, 1, 2)
  const key = await limited.key('it-manager')
  expect((await line.request('/billing/v1/assets', bearer(key, '127.0.0.1'))).status).toBe(200)
  let rejected = await line.request('/sign-in')
  while (rejected.status === 200) rejected = await line.request('/sign-in')
  // The proxy's connection, which carries other clients, stays open.
  expect(rejected.status).toBe(429)
  expect(rejected.headers.connection).not.toBe('close')
  expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(0)
  other.close()
  // On new connections, possibly to the other process, which has its own buckets.
  const again = openConnection(app.url)
  for (let n = 0; n < 5; n++)
    expect((await again.request('/billing/v1/assets', bearer(key, '127.0.0.1'))).status).toBe(200)
  for (const address of ['/livez', '/healthz', '/readyz'])
    expect((await again.request(address)).status).toBe(200)
  again.close()
  line.close()
})

test('both end when they are asked to, and with them the embedded database', { tag: '@deep' }, async () => {
  app.kill('SIGTERM')
  expect(await app.ended).toBe(0)
  expect(postmaster(data)).toBeUndefined()
})
