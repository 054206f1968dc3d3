import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { listInvoices, readInvoice } from '#lib/billing/invoices/operations.ts'
import { validateKey } from '#lib/identity/keys/operations.ts'
import { listAssets } from '#lib/licenses/assets/operations.ts'
import { route } from '#lib/platform/api/endpoint.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer, addInvoice, addKey } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { peer } from './peer.ts'

// A server that returns less than the API would not be a fair comparison.

// The peer logs in as the owner of the tables, here not as a superuser, whom row-level security doesn't apply to.
const DROP_POLICIES = `DO $$ DECLARE walled record; BEGIN
  FOR walled IN SELECT oid::regclass AS name FROM pg_class WHERE relforcerowsecurity
  LOOP EXECUTE format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY', walled.name); END LOOP; END $$`

let database: TestDatabase
let server: FastifyInstance
let key = ''

beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('northwind')
  await addAsset('northwind', 'cloud-platform-1', null)
  for (let n = 0; n < 51; n++) {
    await addAsset('northwind', `workspace-suite-${n}`, { purchased: n })
    const terms = { balanceAmount: String(n % 3), dueDate: n % 2 ? '2026-10-31' : '2126-10-31' }
    await addInvoice('northwind', `IN ${n}`, { ...terms, corrects: 'IN 0' }, [{ price: '4' }, { price: '6' }])
  }
  key = await addKey('northwind', ['admin'])
  await run(database.url, DROP_POLICIES)
  server = peer(database.url)
  vi.stubEnv('BASE_URL', await server.listen({ host: '127.0.0.1', port: 0 }))
})
afterAll(async () => {
  await server.close()
  vi.unstubAllEnvs()
  await database.close()
})

it.each([
  ['/auth/v1/validate', validateKey],
  ['/billing/v1/invoices', listInvoices],
  ['/billing/v1/invoices/IN%200', readInvoice],
  ['/billing/v1/invoices/IN%207', readInvoice],
  ['/billing/v1/assets', listAssets],
  ['/billing/v1/invoices?filter=platform:cloud-platform', listInvoices],
  ['/billing/v1/invoices?maxResults=50&filter=platform:cloud-platform', listInvoices],
  ['/billing/v1/assets?maxResults=50', listAssets],
])('%s returns the same bytes as the API', async (path, operation) => {
  const headers = { authorization: `Bearer ${key}` }
  const ours = await route(operation).GET(new Request(`http://console.example${path}`, { headers }))
  const other = await server.inject({ url: path, headers })
  const bytes = await ours.text()
  expect({ status: other.statusCode, body: other.body }).toEqual({ status: 200, body: bytes })
  expect({ status: ours.status, rows: JSON.parse(bytes).rowCount ?? 50 }).toEqual({ status: 200, rows: 50 })
})

it('rejects a request without a key, and one whose role lacks the permission', async () => {
  const licenses = await addKey('northwind', ['it-manager'])
  const requestWith = (authorization: string) =>
    server.inject({ url: '/billing/v1/invoices', headers: { authorization } })
  expect((await requestWith('')).statusCode).toBe(401)
  expect((await requestWith(`Bearer ${licenses}`)).statusCode).toBe(403)
})
