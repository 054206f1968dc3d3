import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { type Collector, openCollector } from '../../lib/server/traces/test-collector.ts'
import { asset, newCustomer, PASSWORD } from '../admin.ts'
import { type AppDatabase, createDatabase } from '../database.ts'
import { isolatedEnvironment, startIsolatedApp } from '../isolated-app.ts'
import { openConnection } from '../tcp-connection.ts'

/**
 * Preload script that logs the OpenTelemetry modules of a process, except for the API package, which Next loads in any
 * case.
 */
const COLLECTOR = `
  import { registerHooks } from 'node:module'
  registerHooks({
    load(url, context, next) {
      if (/@opentelemetry.(?!api[^-])/.test(url)) process.stderr.write('loaded ' + url + '\\n')
      return next(url, context)
    },
  })`
const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(COLLECTOR)}`

let data: string
let database: AppDatabase
let collector: Collector
let key: string
let email: string

test.describe.configure({ mode: 'serial' })

test.beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'licenses-invoices-traces-'))
  database = await createDatabase()
  collector = await openCollector()
})
test.afterAll(async () => {
  collector?.close()
  await database?.drop()
  rmSync(data, { recursive: true, force: true })
})

const environment = (more: Record<string, string> = {}) =>
  isolatedEnvironment(data, { ...database.settings, NODE_OPTIONS, DRAIN_SECONDS: '1', ...more })

async function list(url: string): Promise<string | null> {
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${url}/billing/v1/assets`, { headers })
  expect(response.status).toBe(200)
  return response.headers.get('request-id')
}

/** Returns the request id of a page with a search in its address, as a member sees it. */
async function page(url: string): Promise<string> {
  const line = openConnection(url)
  const { csrfToken } = JSON.parse((await line.request('/api/auth/csrf')).body)
  const body = new URLSearchParams({ email, password: PASSWORD, csrfToken, json: 'true' }).toString()
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': `${body.length}` }
  await line.request('/api/auth/callback/credentials', { method: 'POST', headers, body })
  const answer = await line.request('/assets?search=wanted-by-somebody')
  line.close()
  expect(answer.status).toBe(200)
  return String(answer.headers['request-id'])
}

test('OpenTelemetry is not loaded without a trace setting', { tag: '@deep' }, async () => {
  const app = await startIsolatedApp(environment())
  try {
    const customer = await newCustomer('traced', isolatedEnvironment(data, database.settings))
    await customer.importAssets([asset('workspace-suite-1', 'Suite', { purchased: 10 })])
    key = await customer.key('it-manager')
    email = await customer.member('Ana Traced', 'admin')
    await list(app.url)
    expect((await fetch(`${app.url}/sign-in`)).status).toBe(200)
  } finally {
    app.kill('SIGTERM')
    await app.ended
  }
  expect(app.output()).not.toContain('loaded ')
})

test('a process that is asked to stop sends its remaining traces', { tag: '@deep' }, async () => {
  // Longer than the test, so that no batch is sent by the timer.
  const app = await startIsolatedApp(
    environment({ ...collector.settings, OTEL_BSP_SCHEDULE_DELAY: '600000' }),
  )
  const requestId = await list(app.url)
  const pageId = await page(app.url)
  expect(collector.spans).toEqual([])
  app.kill('SIGTERM')
  expect(await app.ended).toBe(0)
  // Proves that the previous test would have found the modules.
  expect(app.output()).toContain('loaded ')
  const spanOf = (id: string | null) =>
    collector.spans.find(({ attributes }) => attributes['console.request_id'] === id)
  const below = (id: string | null) =>
    collector.spans.filter(({ parentSpanId }) => parentSpanId === spanOf(id)?.spanId).map(({ name }) => name)
  expect(spanOf(requestId)?.name).toBe('GET /billing/v1/assets')
  expect(below(requestId)).toEqual(['transaction at once'])
  expect(spanOf(pageId)).toMatchObject({
    name: 'GET',
    attributes: { 'url.path': '/assets', 'http.response.status_code': 200 },
  })
  expect(below(pageId)).toContain('transaction at once')
  for (const secret of ['wanted-by', key, email, 'Ana', PASSWORD, 'traced'])
    expect(collector.text()).not.toContain(secret)
})
