import { readFileSync } from 'node:fs'
import { Registry } from '@prometheus-io/client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { readAnswer, storeAnswer } from '#lib/platform/api/answer-cache.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { measured } from '#lib/platform/runtime/log.ts'
import { count } from './instruments.ts'
import { startMetrics } from './serve.ts'
import { watch } from './state.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

describe('the metrics contain', () => {
  const registry = new Registry()
  count(registry)

  test('requests by route and status, by how long they took', async () => {
    measured('request', { route: '/billing/v1/invoices', method: 'GET', status: 200, seconds: 0.03 })
    measured('request', { route: '/billing/v1/invoices', method: 'GET', status: 200, seconds: 3 })
    const text = await registry.metrics()
    const labels = 'route="/billing/v1/invoices",method="GET",status="200"'
    expect(text).toContain(`console_http_request_duration_seconds_bucket{le="0.05",${labels}} 1`)
    expect(text).toContain(`console_http_request_duration_seconds_count{${labels}} 2`)
  })

  test('vendors, sign-ins, limits, jobs and messages by outcome', async () => {
    measured('limit', { limit: 'customer-exports' })
    measured('vendorCall', { host: 'vendor.example', method: 'GET', outcome: 'cut', seconds: 12 })
    measured('signIn', { outcome: 'throttled' })
    measured('job', { job: 'read-vendors', outcome: 'failed', seconds: 2 })
    measured('outbox', { kind: 'webhook', outcome: 'refused' })
    const text = await registry.metrics()
    expect(text).toContain(
      'console_vendor_call_duration_seconds_count{host="vendor.example",outcome="cut"} 1',
    )
    expect(text).toContain('console_sign_ins_total{outcome="throttled"} 1')
    expect(text).toContain('console_limits_hit_total{limit="customer-exports"} 1')
    expect(text).toContain('console_job_duration_seconds_count{job="read-vendors",outcome="failed"} 1')
    expect(text).toContain('console_outbox_deliveries_total{kind="webhook",outcome="refused"} 1')
  })
})

test('pools report waiting clients, and the database open connections', async () => {
  const registry = new Registry()
  watch(registry)
  const clients = await Promise.all([database.opened.streams.connect(), database.opened.streams.connect()])
  const text = await registry.metrics()
  for (const client of clients) client.release()
  expect(text).toContain('console_database_connections{pool="streams",state="used"} 2')
  expect(text).toContain('console_database_up 1')
  expect(text).toContain('console_license_changes{state="unclear"} 0')
  expect(text).not.toMatch(/NaN/)
})

test('the cache of answers reports its memory, and its hits, misses and evictions', async () => {
  vi.stubEnv('ANSWER_CACHE_MB', '1')
  const registry = new Registry()
  watch(registry)
  /** Reads a value; earlier tests of the file may have counted, too. */
  const sampleOf = async (name: string) => {
    const line = (await registry.metrics()).split('\n').find((text) => text.startsWith(`${name} `))
    return Number(line?.split(' ')[1] ?? Number.NaN)
  }
  const counters = [
    'console_answer_cache_lookups_total{outcome="hit"}',
    'console_answer_cache_lookups_total{outcome="miss"}',
    'console_answer_cache_evictions_total',
  ]
  const key = (name: string) => ({ name, validFor: '1', now: 1, customerId: name })
  const body = Buffer.alloc(200 * 1024)
  for (let n = 0; n < 5; n++) storeAnswer(key(`customer-${n}`), { body, headers: {}, etag: '' })
  const before = await Promise.all(counters.map(sampleOf))
  storeAnswer(key('customer-5'), { body, headers: {}, etag: '' })
  for (const name of ['customer-5', 'customer-5', 'none']) readAnswer(key(name))
  for (let scrape = 0; scrape < 2; scrape++) {
    const after = await Promise.all(counters.map(sampleOf))
    expect(after.map((value, index) => value - (before[index] ?? Number.NaN))).toEqual([2, 1, 1])
    expect(await sampleOf('console_answer_cache_answers')).toBe(5)
    expect(String(await sampleOf('console_answer_cache_bytes'))).toMatch(/^10\d{5}$/)
  }
  vi.unstubAllEnvs()
})

test('the metrics are served on a separate port', async () => {
  const served = await startMetrics({ host: '127.0.0.1', port: 0 })
  try {
    const response = await fetch(served.url ?? '')
    const type = response.headers.get('content-type')
    expect([response.status, type]).toEqual([200, expect.stringContaining('text/plain')])
    expect(await response.text()).toContain('nodejs_eventloop_lag_seconds')
    expect((await fetch(new URL('/', served.url))).status).toBe(404)
    const usedAddress = { host: '127.0.0.1', port: Number(new URL(served.url ?? '').port) }
    await expect(startMetrics(usedAddress)).rejects.toThrow(/METRICS_PORT.*can't be listened on/)
  } finally {
    await served.stop()
  }
})

test('The alerts use existing metrics, and the documents name each of ours and no other', async () => {
  const registry = new Registry()
  count(registry)
  watch(registry)
  const metricNames = (await registry.getMetricsAsJSON()).map(({ name }) => name)
  const namesIn = (path: string) => {
    const names = readFileSync(path, 'utf8').match(/\bconsole_\w+/g) ?? []
    return [...new Set(names.map((name) => name.replace(/_(bucket|count|sum)$/, '')))]
  }
  const names = namesIn('docs/operate/alerts.yml')
  expect(names.length).toBeGreaterThan(5)
  expect(names.filter((name) => !metricNames.includes(name))).toEqual([])
  const ours = metricNames.filter((name) => name.startsWith('console_'))
  expect(namesIn('docs/operate/monitoring.md').sort()).toEqual(ours.sort())
})
