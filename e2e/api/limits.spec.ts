import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { asset, newCustomer } from '../admin.ts'
import { type AppDatabase, createDatabase } from '../database.ts'
import { isolatedEnvironment, startIsolatedApp } from '../isolated-app.ts'
import { openConnection } from '../tcp-connection.ts'
import { connectToEach } from '../workers.ts'

let data: string
let database: AppDatabase
let app: Awaited<ReturnType<typeof startIsolatedApp>>
let customer: Awaited<ReturnType<typeof newCustomer>>

test.describe.configure({ mode: 'serial' })

test.beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'licenses-invoices-limits-'))
  database = await createDatabase()
  const env = isolatedEnvironment(data, {
    ...database.settings,
    ...{ WEB_CONCURRENCY: '2', RATE_LIMIT_REQUESTS: '', RATE_LIMIT_STRANGERS: '150' },
  })
  app = await startIsolatedApp(env)
  customer = await newCustomer('limits', env)
  await customer.importAssets([asset('workspace-suite-1', 'Suite', { purchased: 10 })])
})

test.afterAll(async () => {
  app?.kill('SIGTERM')
  await app?.ended
  await database?.drop()
  rmSync(data, { recursive: true, force: true })
})

const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })

/** Waits until the minute has enough time left: a test across its end would count in two minutes. */
async function untilMinuteHasTime(): Promise<void> {
  await expect.poll(() => new Date().getUTCSeconds(), { intervals: [250] }).toBeLessThan(35)
}

test('two processes together let exactly the limit of parallel requests through', async () => {
  await customer.limits('--requests', '60')
  const key = await customer.key('it-manager')
  const lines = [
    ...(await connectToEach(app, 1, 2)),
    ...Array.from({ length: 28 }, () => openConnection(app.url)),
  ]
  await untilMinuteHasTime()
  const answers = await Promise.all(
    lines.map(async (line) => {
      const statuses = []
      for (let n = 0; n < 20; n++)
        statuses.push((await line.request('/auth/v1/validate', bearer(key))).status)
      return statuses
    }),
  )
  const counts = Map.groupBy(answers.flat(), (status) => status)
  expect([counts.get(200)?.length, counts.get(429)?.length]).toEqual([60, 540])
  for (const line of lines) line.close()
})

test('a limit set by the operator applies without a restart and appears in the answers', async () => {
  const key = await customer.key('it-manager')
  const line = openConnection(app.url)
  const policy = async () =>
    (await line.request('/billing/v1/assets', bearer(key))).headers['ratelimit-policy']
  expect(await policy()).toBe('"requests";q=60;w=60, "customer-requests";q=300;w=60')
  await customer.limits('--requests', 'default', '--together', '7')
  const other = await customer.key('it-manager')
  const { headers } = await line.request('/billing/v1/assets', bearer(other))
  expect(headers['ratelimit-policy']).toContain('"requests";q=1000;w=60')
  expect(headers.ratelimit).toMatch(/^"requests";r=\d+;t=\d+, "customer-requests";r=\d+;t=\d+$/)
  line.close()
})

test('strangers are refused at the door, known callers and health checks are not', async () => {
  const [line, other] = await connectToEach(app, 1, 2)
  const key = await customer.key('it-manager')
  expect((await line.request('/billing/v1/assets', bearer(key))).status).toBe(200)
  let rejected = await line.request('/sign-in')
  while (rejected.status === 200) rejected = await line.request('/sign-in')
  expect(rejected).toMatchObject({ status: 429, headers: { connection: 'close' } })
  expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(0)
  other.close()
  // On new connections, possibly to the other process, which has its own buckets.
  const again = openConnection(app.url)
  for (let n = 0; n < 5; n++)
    expect((await again.request('/billing/v1/assets', bearer(key))).status).toBe(200)
  for (const address of ['/livez', '/healthz', '/readyz'])
    expect((await again.request(address)).status).toBe(200)
  again.close()
  line.close()
})
