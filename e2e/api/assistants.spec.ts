import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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

/** Records the modules of the protocol that any process of the app loads, in a file. */
const RECORD = `
  import { appendFileSync } from 'node:fs'
  import { registerHooks } from 'node:module'
  registerHooks({
    load(url, context, next) {
      if (/modelcontextprotocol|lib.server.mcp/.test(url))
        appendFileSync(new URL('loaded', import.meta.url), url + '\\n')
      return next(url, context)
    },
  })`

test.beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'licenses-invoices-assistants-'))
  database = await createDatabase()
  writeFileSync(join(data, 'record.mjs'), RECORD)
  const options = { WEB_CONCURRENCY: '2', NODE_OPTIONS: `--import=${join(data, 'record.mjs')}` }
  const env = isolatedEnvironment(data, { ...database.settings, ...options })
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

type Send = (url: string | URL, init: RequestInit) => Promise<Response>

/** Connects a client whose person accepts, and which sends its confirmations with `confirm`. */
async function connect(confirm: Send = fetch) {
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
    fetch: (url, init = {}) => (String(init.body).includes('requestState') ? confirm : fetch)(url, init),
  })
  await client.connect(transport)
  return client
}

async function quantity(client: Client) {
  const { structuredContent } = await client.callTool({ name: 'list_assets', arguments: {} })
  return (structuredContent as { data: { assets: { quantity: number }[] } }).data.assets[0]?.quantity
}
const change = (client: Client, total: number) =>
  client.callTool({
    ...{ name: 'set_license_quantity', arguments: { asset_id: 'workspace-suite-1', quantity: total } },
  })

test('nothing of it is loaded before the first call', async ({ request }) => {
  await request.get(`${app.url}/developers/assistants`)
  expect((await request.get(`${app.url}/billing/v1/assets`)).status()).toBe(401)
  expect(existsSync(join(data, 'loaded'))).toBe(false)
  expect((await request.get(`${app.url}/mcp`)).status()).toBe(401)
  expect(readFileSync(join(data, 'loaded'), 'utf8')).toContain('@modelcontextprotocol/server')
})

test('a client lists, reads and changes; the confirmation then counts in no process', async () => {
  const sent: RequestInit[] = []
  const client = await connect((url, init) => {
    sent.push(init)
    return fetch(url, init)
  })
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['list_assets', 'order_renewal']))
  expect(tools.map(({ name }) => name)).not.toContain('list_invoices')
  expect(await quantity(client)).toBe(10)
  expect((await change(client, 12)).isError).not.toBe(true)
  expect(await quantity(client)).toBe(12)
  expect(sent).toHaveLength(1)
  const repeats = await Promise.all(
    Array.from({ length: 20 }, async () => (await fetch(new URL('/mcp', app.url), sent[0])).text()),
  )
  expect(repeats.filter((text) => !text.includes('confirmation_refused'))).toEqual([])
  expect(await quantity(client)).toBe(12)
  await client.close()
})

test('a confirmation that arrives twenty times in parallel, in both processes, makes its change once', async () => {
  let texts: string[] = []
  const client = await connect(async (url, init) => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(url, init)))
    texts = await Promise.all(answers.map((answer) => answer.clone().text()))
    return answers[0] as Response
  })
  await change(client, 14)
  expect(texts.filter((text) => text.includes('"NumberOfSeats":14'))).toHaveLength(1)
  expect(texts.filter((text) => !text.includes('"isError":true'))).toHaveLength(1)
  expect(await quantity(client)).toBe(14)
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
