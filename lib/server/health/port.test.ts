import cluster from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openDatabase } from '#lib/platform/db/client.ts'
import { testDatabase } from '#lib/platform/db/test-database.ts'
import { type HealthPort, startHealthPort } from './port.ts'
import { whatIsMissing } from './readiness.ts'
import { startReports } from './reports.ts'

let close: (() => Promise<void>)[] = []
beforeEach(() => {
  vi.stubEnv('HEALTH_PORT', '0')
  vi.stubEnv('HOST', '127.0.0.1')
})
afterEach(async () => {
  await Promise.all(close.map((end) => end()))
  close = []
  vi.unstubAllEnvs()
})

async function opened(stalledMs?: number): Promise<HealthPort> {
  const port = await startHealthPort(stalledMs)
  if (!port) throw new Error('HEALTH_PORT is not read.')
  close.push(port.stop)
  return port
}

const get = async (port: HealthPort, path: string) => {
  const response = await fetch(port.url + path)
  return `${response.status} ${await response.text()}`
}
const all = async (port: HealthPort) => [
  await get(port, '/livez'),
  await get(port, '/healthz'),
  await get(port, '/readyz'),
]

/** Sends requests from another thread without pause, and returns a function that resolves to each answer and the longest time. */
async function requestElsewhere(url: string) {
  const script = `
    const { parentPort } = require('node:worker_threads')
    const answers = []
    let longest = 0
    let isOver = false
    parentPort.on('message', () => { isOver = true })
    const send = async () => {
      while (!isOver) {
        const began = performance.now()
        answers.push(await fetch('${url}/healthz').then((response) => response.text()))
        longest = Math.max(longest, performance.now() - began)
        if (answers.length === 1) parentPort.postMessage('begun')
      }
      parentPort.postMessage({ answers, longest })
    }
    send()`
  const client = new Worker(script, { eval: true })
  close.push(async () => void (await client.terminate()))
  await once(client, 'message')
  return async () => {
    const result = once(client, 'message')
    client.postMessage('over')
    const [{ answers, longest }] = (await result) as [{ answers: string[]; longest: number }]
    return { answers, longest }
  }
}

/** Blocks this thread, as endless work of a request would. */
const block = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

test('the checks are answered while the process is busy, and fail once it has not reported for too long', async () => {
  const port = await opened(800)
  port.report({})
  await expect.poll(() => get(port, '/healthz')).toBe('200 ok')
  // On a busy machine, the other thread may start after more than 800 ms.
  const reports = setInterval(() => port.report({}), 50)
  const end = await requestElsewhere(port.url).finally(() => clearInterval(reports))
  port.report({})
  block(2000)
  const { answers, longest } = await end()
  expect(answers[0]).toBe('ok')
  expect(answers).toContain('stalled')
  // An answer of the blocked thread would have taken all of this time.
  expect(longest).toBeLessThan(1900)
  expect(await all(port)).toEqual(['503 stalled', '503 stalled', '503 stalled'])
  port.report({})
  await expect.poll(() => get(port, '/livez')).toBe('200 ok')
})

test('the checks show a shutdown, and a database that is away', async () => {
  const database = await testDatabase()
  const port = await opened()
  const reports = startReports(port.report)
  close.push(async () => reports.stop())
  await expect.poll(() => all(port)).toEqual(['200 ok', '200 ok', '200 ok'])
  // A process has a database open at each moment.
  close.push(openDatabase('postgres://nobody@127.0.0.1:1/none').close)
  await database.close()
  await expect.poll(() => get(port, '/readyz'), { timeout: 5000 }).toBe('503 database')
  expect(await get(port, '/healthz')).toBe('200 ok')
  port.report({ isDraining: true })
  await expect.poll(() => all(port)).toEqual(['200 ok', '503 draining', '503 draining'])
})

test('a check that is running at the stop reports nothing', async () => {
  const database = await testDatabase()
  const reports: object[] = []
  startReports((state) => reports.push(state)).stop()
  // Ends after the check that began before.
  await whatIsMissing()
  await new Promise(setImmediate)
  expect(reports).toHaveLength(1)
  await database.close()
})

test('a primary passes the reports of its workers on', async () => {
  const port = await opened()
  expect(await get(port, '/healthz')).toBe('503 stalled')
  cluster.emit('message', {} as never, { health: { missing: 'migrations' } }, undefined as never)
  await expect.poll(() => get(port, '/healthz')).toBe('200 ok')
  expect(await get(port, '/readyz')).toBe('503 migrations')
})

test('other addresses are a 404, and a port in use stops the start with the name of its setting', async () => {
  const port = await opened()
  expect((await get(port, '/metrics')).slice(0, 3)).toBe('404')
  const other = createServer()
  await once(other.listen(0, '127.0.0.1'), 'listening')
  close.push(async () => void other.close())
  vi.stubEnv('HEALTH_PORT', String((other.address() as { port: number }).port))
  await expect(startHealthPort()).rejects.toThrow(/^HEALTH_PORT: .* can't be listened on \(EADDRINUSE\)/)
})

test('nothing is started without the setting', async () => {
  vi.stubEnv('HEALTH_PORT', '')
  expect(await startHealthPort()).toBeUndefined()
})
