import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readScope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { callerOf } from '#lib/platform/db/test-rows.ts'
import { log } from '#lib/platform/runtime/log.ts'
import { VERSION } from '#lib/platform/runtime/version.ts'
import { google } from '../../../test/fuzz/scenarios.ts'
import { CUSTOMER, type Seed, type Stage, setStage } from '../../../test/fuzz/stage.ts'
import { loadApi } from '../api.ts'
import { openTestServer } from '../test-server.ts'
import { startTraces, type Traces } from './start.ts'
import { type Collector, openCollector, type Span } from './test-collector.ts'

const [SERVER, CLIENT] = [2, 3]
let database: TestDatabase
let stage: Stage
let collector: Collector
let traces: Traces
let testServer: Awaited<ReturnType<typeof openTestServer>>

beforeAll(async () => {
  collector = await openCollector()
  const more = { OTEL_BSP_SCHEDULE_DELAY: '20', OTEL_NODE_RESOURCE_DETECTORS: 'env' }
  for (const [name, value] of Object.entries({ ...collector.settings, ...more })) vi.stubEnv(name, value)
  database = await testDatabase()
  // A busy machine's vendor answers late.
  const times = { VENDOR_READ_MS: '30000', VENDOR_WRITE_MS: '30000' }
  stage = await setStage(google, { assets: 2, writers: 1, times })
  traces = startTraces()
  testServer = await openTestServer({ api: await loadApi(traces.trace) })
})
afterAll(async () => {
  await testServer.close()
  await traces.stop()
  await stage.close()
  await database.close()
  collector.close()
  vi.unstubAllEnvs()
})

/** Sends a request with the writer's key, and waits for its span and its child spans. */
async function traced(line: string, { headers = [], body = '' }: { headers?: string[]; body?: string } = {}) {
  const requestHeaders = ['Host: console.example', `Authorization: Bearer ${stage.keys[0]}`]
  const { answers } = await testServer.request(line, [...requestHeaders, ...headers], body)
  const requestId = answers[0]?.headers['request-id']
  const find = () => collector.spans.find((one) => one.attributes['console.request_id'] === requestId)
  await expect.poll(find).toBeDefined()
  const span = find() as Span
  const below = () => collector.spans.filter(({ parentSpanId }) => parentSpanId === span.spanId)
  return { status: answers[0]?.status, text: answers[0]?.body, span, below }
}

describe('a request', () => {
  it('is a span for a list, with its transaction below it', async () => {
    const { status, span, below } = await traced('GET /billing/v1/assets?search=Wanted%20by%20somebody')
    expect(status).toBe(200)
    expect(span).toMatchObject({
      name: 'GET /billing/v1/assets',
      kind: SERVER,
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/billing/v1/assets',
        'http.response.status_code': 200,
        'url.path': '/billing/v1/assets',
        'url.scheme': 'http',
      },
    })
    expect(span.parentSpanId ?? '').toBe('')
    await expect.poll(below).toHaveLength(1)
    expect(below()[0]).toMatchObject({
      name: 'transaction at once',
      kind: CLIENT,
      traceId: span.traceId,
      attributes: { 'db.system.name': 'postgresql', 'console.scope': 'at once', 'console.outcome': 'done' },
    })
    expect(below()[0]?.attributes['console.statements']).toBeGreaterThan(0)
  })

  it('has its writes and the calls to the vendor below it for a change', async () => {
    const seed = stage.seeds[0] as Seed
    const path = `/billing/v1/assets/${stage.assetId(seed)}`
    const body = JSON.stringify({ quantity: seed.total + 1 })
    const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`]
    const { status, text, span, below } = await traced(`PATCH ${path}`, { headers, body })
    expect(status, text).toBe(200)
    expect(span).toMatchObject({
      name: 'PATCH /billing/v1/assets/{asset_id}',
      attributes: { 'http.route': '/billing/v1/assets/{asset_id}', 'url.path': path },
    })
    const calls = () => below().filter(({ attributes }) => attributes['server.address'] === '127.0.0.1')
    await expect.poll(() => calls().map(({ name }) => name)).toEqual(['GET', 'POST'])
    expect(calls().map(({ attributes }) => attributes['http.response.status_code'])).toEqual([200, 200])
    expect(below().map(({ name }) => name)).toContain('transaction write')
  })

  it('ends for a file when the file was sent, with its stream below it', async () => {
    const { span, below } = await traced('GET /billing/v1/assets.csv')
    await expect.poll(() => below().map(({ name }) => name)).toContain('transaction stream')
    expect(span.attributes['http.response.status_code']).toBe(200)
  })

  it('continues the trace of its client', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const headers = [`traceparent: 00-${traceId}-b7ad6b7169203331-01`]
    const { span, below } = await traced('GET /billing/v1/assets', { headers })
    expect(span).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331' })
    await expect.poll(() => below().map((one) => one.traceId)).toEqual([traceId])
  })

  it('has its own transactions below it, even for requests in the same packet', async () => {
    const all = await Promise.all(Array.from({ length: 12 }, () => traced('GET /billing/v1/assets')))
    for (const { below } of all) await expect.poll(below).toHaveLength(1)
    expect(new Set(all.map(({ span }) => span.traceId)).size).toBe(12)
  })

  it('has no route for an unknown path', async () => {
    const { status, span } = await traced('GET /billing/v1/nothing')
    expect([status, span.name, span.attributes['http.route']]).toEqual([404, 'GET', undefined])
  })
})

it('measurements outside of a request have no span', async () => {
  await readScope(await callerOf(CUSTOMER, 'admin'), async () => {})
  const before = collector.spans.length
  const { span, below } = await traced('GET /billing/v1/assets')
  await expect.poll(below).toHaveLength(1)
  const since = collector.spans.slice(before).map(({ traceId }) => traceId)
  expect(new Set(since)).toEqual(new Set([span.traceId]))
})

it('the environment decides the collector’s address and the service name', () => {
  expect(new Set(collector.requests.map(({ url }) => url))).toEqual(new Set(['/v1/traces']))
  expect(collector.requests[0]?.authorization).toBe('Bearer of-the-collector')
  expect(collector.resources[0]).toMatchObject({
    'service.name': 'billing-in-a-test',
    'service.version': VERSION,
  })
})

it('exported spans contain no key, customer, search text or value', () => {
  const { customerId, skuId } = stage.seeds[0] as Seed
  const sent = collector.text()
  for (const secret of [stage.keys[0], 'Bearer', CUSTOMER, 'Wanted', customerId, skuId, 'quantity', 'SELECT'])
    expect(sent).not.toContain(secret)
})

describe('traces', () => {
  it('are reported in one line of the log without a collector, and the stop completes', async () => {
    const warn = vi.spyOn(log(), 'warn')
    // An address without a listener.
    const closedCollector = await openCollector()
    closedCollector.close()
    for (const [name, value] of Object.entries({
      ...closedCollector.settings,
      OTEL_EXPORTER_OTLP_TIMEOUT: '100',
    }))
      vi.stubEnv(name, value)
    const lost = startTraces()
    const other = await openTestServer({ api: await loadApi(lost.trace) })
    const { answers } = await other.request('GET /billing/v1/nothing')
    await other.close()
    await lost.stop()
    expect(answers[0]?.status).toBe(404)
    const connectionError = expect.stringMatching(/^connect ECONNREFUSED [\d.:]+$/)
    expect(warn.mock.calls).toContainEqual([{ reason: connectionError }, 'traces'])
  })
})
