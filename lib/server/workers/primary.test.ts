import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { emptyFolder, serverOf } from '#lib/platform/db/embedded/test-cluster.ts'
import { log } from '#lib/platform/runtime/log.ts'
import { startPrimary } from './primary.ts'
import type { WorkerPool } from './worker-pool.ts'

let folder: string
/** Address of the metrics. */
let metrics: () => string
beforeAll(async () => {
  folder = await emptyFolder()
})
beforeEach(() => {
  const info = vi.spyOn(log(), 'info')
  metrics = () => (info.mock.calls as unknown as [{ url: string }][]).map(([{ url }]) => url)[0] ?? ''
  for (const [name, value] of Object.entries({ DATABASE_URL: '', DATA_DIR: folder, METRICS_PORT: '0' }))
    vi.stubEnv(name, value)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

const pool = { url: 'http://127.0.0.1:3000', note: 'what a worker says', restart: vi.fn(), stop: vi.fn() }

test('the primary keeps the database and the metrics until the last worker has ended', async () => {
  const left = Promise.withResolvers<void>()
  pool.stop.mockReturnValue(left.promise)
  const giveUp = () => {}
  const start = vi.fn(async (): Promise<WorkerPool> => pool)
  const primary = await startPrimary(3, giveUp, start)
  expect(start.mock.calls).toEqual([[3, giveUp]])
  expect(primary).toMatchObject({
    url: pool.url,
    note: expect.stringMatching(/^PostgreSQL .*, 3 processes$/),
  })
  const stopping = primary.stop('announced')
  expect(pool.stop.mock.calls).toEqual([['announced']])
  expect(await serverOf(folder)).toBeGreaterThan(0)
  expect((await fetch(metrics())).status).toBe(200)
  left.resolve()
  await stopping
  expect(await serverOf(folder)).toBeUndefined()
  await expect(fetch(metrics())).rejects.toThrow('fetch failed')
})

test('the primary leaves nothing running and reports the reason when workers fail to start', async () => {
  const starting = startPrimary(
    3,
    () => {},
    () => Promise.reject(new Error('127.0.0.1:80 is in use')),
  )
  await expect(starting).rejects.toThrow('127.0.0.1:80 is in use')
  expect(await serverOf(folder)).toBeUndefined()
  await expect(fetch(metrics())).rejects.toThrow('fetch failed')
})

test('the primary stops the database after a worker failed, and rejects', async () => {
  pool.stop.mockRejectedValue(new Error('worker 2 ended with SIGKILL'))
  const primary = await startPrimary(
    3,
    () => {},
    async () => pool,
  )
  await expect(primary.stop('at once')).rejects.toThrow('worker 2 ended with SIGKILL')
  expect(await serverOf(folder)).toBeUndefined()
})

test('the primary reports a worker’s description of an external database', async () => {
  vi.stubEnv('DATABASE_URL', 'postgresql://nobody@127.0.0.1:1/none')
  const primary = await startPrimary(
    3,
    () => {},
    async () => pool,
  )
  expect(primary.note).toBe('what a worker says, 3 processes')
  pool.stop.mockResolvedValue(undefined)
  await primary.stop('at once')
})
