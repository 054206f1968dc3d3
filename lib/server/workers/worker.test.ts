import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { TestProcess } from './test-process.ts'
import { runWorker } from './worker.ts'

const slot = globalThis as { licensesInvoicesLog?: unknown }
let log: unknown
let host: TestProcess
beforeEach(() => {
  log = slot.licensesInvoicesLog
  host = new TestProcess()
})
// The worker names itself in each log line.
afterEach(() => {
  slot.licensesInvoicesLog = log
})

const application = (stop: () => Promise<void> = async () => {}) => ({
  url: 'http://127.0.0.1:3000',
  note: 'PostgreSQL 18',
  stop: vi.fn(stop),
})
const sent = () => vi.mocked(host.send).mock.calls.map(([message]) => message)

test('a worker reports its address and database to its primary when requests are answered', async () => {
  const starting = Promise.withResolvers<ReturnType<typeof application>>()
  runWorker(() => starting.promise, host)
  expect(sent()).toEqual([])
  starting.resolve(application())
  await expect.poll(sent).toEqual([{ ready: { url: 'http://127.0.0.1:3000', note: 'PostgreSQL 18' } }])
})

test('a worker that fails to start sends the reason, and exits with 1 once the primary has it', async () => {
  const handed = Promise.withResolvers<() => void>()
  vi.mocked(host.send).mockImplementation(((_: unknown, done: () => void) => handed.resolve(done)) as never)
  runWorker(() => Promise.reject(new Error('127.0.0.1:80 is in use')), host)
  const done = await handed.promise
  expect(sent()).toEqual([{ failed: '127.0.0.1:80 is in use' }])
  expect(host.exit).not.toHaveBeenCalled()
  done()
  await expect.poll(() => host.exit).toHaveBeenCalledExactlyOnceWith(1)
})

test('a worker that fails to start exits with 1 even where its primary is gone', async () => {
  host.connected = false
  runWorker(() => Promise.reject(new Error('127.0.0.1:80 is in use')), host)
  await expect.poll(() => host.exit).toHaveBeenCalledExactlyOnceWith(1)
  expect(sent()).toEqual([])
})

test.each(['announced', 'at once', 'handed over'])(
  'a worker that receives “%s” stops that way, with 0',
  async (reason) => {
    const running = application()
    runWorker(async () => running, host)
    host.emit('message', reason)
    await expect.poll(() => host.exit).toHaveBeenCalledExactlyOnceWith(0)
    expect(running.stop.mock.calls).toEqual([[reason]])
  },
)

test('a worker that fails to stop sends the reason, and exits with 1', async () => {
  runWorker(async () => application(() => Promise.reject(new Error('the database is gone'))), host)
  host.emit('message', 'announced')
  await expect.poll(() => host.exit).toHaveBeenCalledExactlyOnceWith(1)
  expect(sent()).toContainEqual({ failed: 'the database is gone' })
})

test('a worker ignores messages with metrics, and signals, which are for its primary', async () => {
  const running = application()
  runWorker(async () => running, host)
  await expect.poll(sent).toHaveLength(1)
  host.emit('message', { type: 'prom-client:getMetricsReq', requestId: 1 })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2']) expect(host.emit(signal)).toBe(true)
  await new Promise(setImmediate)
  expect(running.stop).not.toHaveBeenCalled()
  expect(host.exit).not.toHaveBeenCalled()
})
