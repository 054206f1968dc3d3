import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, test } from '@playwright/test'
import { asset, newCustomer } from '../admin.ts'
import { type AppDatabase, createDatabase } from '../database.ts'
import { isolatedEnvironment, startIsolatedApp } from '../isolated-app.ts'

// Assistants at two processes of the built app: each connection may reach the other process.

let data: string
let database: AppDatabase
let app: Awaited<ReturnType<typeof startIsolatedApp>>
let key = ''

test.beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'licenses-invoices-assistants-'))
  database = await createDatabase()
  const env = isolatedEnvironment(data, { ...database.settings, WEB_CONCURRENCY: '2' })
  app = await startIsolatedApp(env)
  const customer = await newCustomer('assistants', env)
  await customer.importAssets([asset('workspace-suite-1', 'Suite', { purchased: 10 })])
  key = await customer.key('it-manager')
})
test.afterAll(async () => {
  app?.kill('SIGTERM')
  await app?.ended
  await database?.drop()
  rmSync(data, { recursive: true, force: true })
})

/** Connects a client whose person accepts, and records the calls of tools that it sends. */
async function connect() {
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
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
    fetch: (url, init = {}) => {
      sent.push(init)
      return fetch(url, init)
    },
  })
  await client.connect(transport)
  return { client, sent }
}

test('a client lists, reads and changes; the confirmation then counts in no process', async () => {
  const { client, sent } = await connect()
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

test('pages of other sites, other hosts and other methods are rejected', async ({ request }) => {
  const send = (headers: Record<string, string>) =>
    request.post(`${app.url}/mcp`, { headers: { authorization: `Bearer ${key}`, ...headers }, data: {} })
  expect((await send({ origin: 'https://evil.example' })).status()).toBe(403)
  expect((await send({ host: 'evil.example' })).status()).toBe(400)
  expect((await request.get(`${app.url}/mcp`)).status()).toBe(401)
  expect((await request.get(`${app.url}/mcp/more`)).status()).toBe(404)
})
