import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { newCustomer } from '../admin.ts'
import { type AppDatabase, createDatabase } from '../database.ts'
import { isolatedEnvironment, operate, startIsolatedApp } from '../isolated-app.ts'

// Keys behind a trusted proxy that forwards the client's address, with two processes.

let data: string
let database: AppDatabase
let env: NodeJS.ProcessEnv
let app: Awaited<ReturnType<typeof startIsolatedApp>>
let customer: Awaited<ReturnType<typeof newCustomer>>

test.beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'licenses-invoices-keys-'))
  database = await createDatabase()
  env = isolatedEnvironment(data, { ...database.settings, TRUST_PROXY: '1', WEB_CONCURRENCY: '2' })
  app = await startIsolatedApp(env)
  customer = await newCustomer('keys', env)
})
test.afterAll(async () => {
  app?.kill('SIGTERM')
  await app?.ended
  await database?.drop()
  rmSync(data, { recursive: true, force: true })
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

test('a key with an IP allowlist works only from these networks, as the proxy reports them', async () => {
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

test('a revealed key opens nothing in any process, and gets the same answer as an unknown one', async () => {
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
    new Set(await Promise.all(Array.from({ length: 20 }, async () => (await validate(key)).status)))
  expect(await statuses()).toEqual(new Set([200]))
  const answered = await show(key)
  expect(await statuses()).toEqual(new Set([401]))
  expect(answered).toEqual([200, { received: 1 }])
  expect(await show('nonsense')).toEqual(answered)
})
