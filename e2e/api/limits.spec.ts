import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { asset, newCustomer } from '../admin.ts'
import { lineToEach } from '../crew.ts'
import { type Given, givenDatabase } from '../database.ts'
import { openLine } from '../line.ts'
import { ownEnvironment, startOwnApp } from '../own-app.ts'

let data: string
let database: Given
let app: Awaited<ReturnType<typeof startOwnApp>>
let own: Awaited<ReturnType<typeof newCustomer>>

test.describe.configure({ mode: 'serial' })

test.beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'licenses-invoices-limits-'))
  database = await givenDatabase()
  const env = ownEnvironment(data, {
    ...database.settings,
    ...{ WEB_CONCURRENCY: '2', RATE_LIMIT_REQUESTS: '', RATE_LIMIT_STRANGERS: '150' },
  })
  app = await startOwnApp(env)
  own = await newCustomer('limits', env)
  await own.importAssets([asset('workspace-suite-1', 'Suite', { purchased: 10 })])
})

test.afterAll(async () => {
  app?.kill('SIGTERM')
  await app?.ended
  await database?.drop()
  rmSync(data, { recursive: true, force: true })
})

const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })

/** A test that a minute's end cuts in two would count in two of them. */
async function untilMinuteHasTime(): Promise<void> {
  await expect.poll(() => new Date().getUTCSeconds(), { intervals: [250] }).toBeLessThan(35)
}

test('of ten times as many parallel requests over two processes exactly the limit is let through', async () => {
  await own.limits('--requests', '60')
  const key = await own.key('it-manager')
  const lines = [...(await lineToEach(app, 1, 2)), ...Array.from({ length: 28 }, () => openLine(app.url))]
  await untilMinuteHasTime()
  const answers = await Promise.all(
    lines.map(async (line) => {
      const statuses = []
      for (let n = 0; n < 20; n++) statuses.push((await line.ask('/auth/v1/validate', bearer(key))).status)
      return statuses
    }),
  )
  const counts = Map.groupBy(answers.flat(), (status) => status)
  expect([counts.get(200)?.length, counts.get(429)?.length]).toEqual([60, 540])
  for (const line of lines) line.close()
})

test('a limit that the operator sets counts without a restart, and the answers tell it', async () => {
  const key = await own.key('it-manager')
  const line = openLine(app.url)
  const policy = async () => (await line.ask('/billing/v1/assets', bearer(key))).headers['ratelimit-policy']
  expect(await policy()).toBe('"requests";q=60;w=60, "customer-requests";q=300;w=60')
  await own.limits('--requests', 'default', '--together', '7')
  const other = await own.key('it-manager')
  const { headers } = await line.ask('/billing/v1/assets', bearer(other))
  expect(headers['ratelimit-policy']).toContain('"requests";q=1000;w=60')
  expect(headers.ratelimit).toMatch(/^"requests";r=\d+;t=\d+, "customer-requests";r=\d+;t=\d+$/)
  line.close()
})

test('strangers are refused at the door, and whoever is known, and health, are not', async () => {
  const [line, other] = await lineToEach(app, 1, 2)
  const key = await own.key('it-manager')
  expect((await line.ask('/billing/v1/assets', bearer(key))).status).toBe(200)
  let refused = await line.ask('/sign-in')
  while (refused.status === 200) refused = await line.ask('/sign-in')
  expect(refused).toMatchObject({ status: 429, headers: { connection: 'close' } })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  other.close()
  // On new connections, which may be those of the other process: it has buckets of its own.
  const again = openLine(app.url)
  for (let n = 0; n < 5; n++) expect((await again.ask('/billing/v1/assets', bearer(key))).status).toBe(200)
  for (const address of ['/livez', '/healthz', '/readyz']) expect((await again.ask(address)).status).toBe(200)
  again.close()
  line.close()
})
