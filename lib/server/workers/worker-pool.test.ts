import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { log } from '#lib/platform/runtime/log.ts'
import { Child, flush, READY } from './test-child.ts'
import { startWorkerPool } from './worker-pool.ts'
import { startWorkerProcess } from './worker-process.ts'

const giveUp = vi.fn()
const child = (id: number) => Child.all[id - 1] as Child
/** Returns the number of workers that were started so far. */
const started = () => Child.all.length
const start = (count: number) => startWorkerPool(count, giveUp, () => startWorkerProcess(() => new Child()))
/** Starts a pool of workers, all ready. */
async function poolOf(count: number) {
  const starting = start(count)
  for (let id = 1; id <= count; id++) await child(id).ready()
  return starting
}

let before: NodeJS.ExitListener[]
/** Returns the exit handlers that were added to this process. */
const atExit = () => process.listeners('exit').filter((listener) => !before.includes(listener))
beforeEach(() => {
  vi.useFakeTimers()
  before = process.listeners('exit')
  vi.spyOn(log(), 'error')
  Child.all.length = 0
  giveUp.mockClear()
})
afterEach(() => {
  for (const listener of atExit()) process.off('exit', listener)
  vi.restoreAllMocks()
  vi.useRealTimers()
})

describe('the start', () => {
  test('starts one worker first, and the others when it is ready', async () => {
    const starting = start(3)
    await flush(starting)
    expect(started()).toBe(1)
    await child(1).ready()
    expect(started()).toBe(3)
    await child(2).ready()
    await child(3).ready({ url: 'http://127.0.0.1:1', note: 'another' })
    expect(await starting).toMatchObject(READY)
  })

  test('rejects with the reason of the first worker, and starts no other', async () => {
    const failing = expect(start(3)).rejects.toThrow('127.0.0.1:80 is in use')
    await child(1).fail('127.0.0.1:80 is in use')
    await child(1).exit(1)
    await failing
    expect(started()).toBe(1)
    await vi.advanceTimersByTimeAsync(60_000)
    expect([started(), giveUp.mock.calls]).toEqual([1, []])
  })

  test.each([
    [3, null, 'A worker ended with 3 before it was ready.'],
    [null, 'SIGSEGV', 'A worker ended with SIGSEGV before it was ready.'],
  ])('reports how a worker ended without a reason (%j, %j)', async (code, signal, message) => {
    const failing = expect(start(2)).rejects.toThrow(message)
    await child(1).exit(code, signal)
    await failing
  })

  test('stops running workers, and waits for them, when a later one fails to start', async () => {
    const failed = vi.fn()
    start(3).catch(failed)
    await child(1).ready()
    await child(2).fail('no connection is left')
    await child(2).exit(1)
    for (const id of [1, 3]) expect(child(id).send.mock.calls).toEqual([['at once']])
    await child(3).exit(0)
    expect(failed).not.toHaveBeenCalled()
    await child(1).exit(0)
    expect(failed).toHaveBeenCalledExactlyOnceWith(new Error('no connection is left'))
    expect([started(), giveUp.mock.calls]).toEqual([3, []])
  })

  test('ignores the messages with metrics of workers', async () => {
    const starting = start(2)
    child(1).emit('message', { type: 'prom-client:getMetricsRes', metrics: [] })
    await flush(starting)
    expect(started()).toBe(1)
    await child(1).ready()
    await child(2).ready()
    await starting
  })
})

describe('a worker that dies', () => {
  test('is replaced by one new worker, and its exit is logged', async () => {
    await poolOf(2)
    await child(1).exit(null, 'SIGKILL')
    expect(started()).toBe(3)
    expect(log().error).toHaveBeenCalledExactlyOnceWith({ worker: 1, code: 'SIGKILL' }, 'worker died')
    await child(3).ready()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(started()).toBe(3)
  })

  test('is replaced after an unexpected exit with 0 as well', async () => {
    await poolOf(2)
    await child(2).exit(0)
    expect(started()).toBe(3)
  })

  test('is replaced once for each of several that die together', async () => {
    await poolOf(3)
    await Promise.all([child(1).exit(1), child(3).exit(1)])
    expect(started()).toBe(5)
  })

  test('does not end the process by an error of its channel', async () => {
    await poolOf(2)
    expect(() => child(1).emit('error', new Error('ERR_IPC_CHANNEL_CLOSED'))).not.toThrow()
  })
})

describe('a replacement that fails to start', () => {
  /** Returns the seconds until the next worker is started. */
  async function secondsUntilNext(): Promise<number> {
    const count = started()
    for (let seconds = 0; seconds < 100; seconds++) {
      if (started() > count) return seconds
      await vi.advanceTimersByTimeAsync(1000)
    }
    throw new Error('No worker was started.')
  }
  const failNewest = async () => {
    await child(started()).fail('the file is no JSON')
    await child(started()).exit(1)
  }

  test('is retried after 1 s, then after twice as long each time, up to 30 s', async () => {
    await poolOf(2)
    await child(1).exit(1)
    const pauses: number[] = []
    for (let time = 0; time < 7; time++) {
      await failNewest()
      pauses.push(await secondsUntilNext())
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30])
    expect(log().error).toHaveBeenLastCalledWith({ reason: 'the file is no JSON' }, 'worker does not start')
    expect(giveUp).not.toHaveBeenCalled()
  })

  test('is retried after 1 s once another one has started', async () => {
    await poolOf(2)
    await child(1).exit(1)
    for (let time = 0; time < 3; time++) {
      await failNewest()
      await secondsUntilNext()
    }
    await child(started()).ready()
    await child(2).exit(1)
    await failNewest()
    expect(await secondsUntilNext()).toBe(1)
  })

  test('makes the pool give up, with the reason, where no other worker is left', async () => {
    await poolOf(2)
    await child(1).exit(1)
    await failNewest()
    await child(2).exit(1)
    await child(4).exit(1)
    await child(5).fail('the file is no JSON')
    expect(giveUp).not.toHaveBeenCalled()
    await child(5).exit(1)
    expect(giveUp).toHaveBeenCalledExactlyOnceWith(new Error('the file is no JSON'))
  })

  test('is not retried after the stop', async () => {
    const pool = await poolOf(2)
    await child(1).exit(1)
    await failNewest()
    const stopping = pool.stop('announced')
    await child(2).exit(0)
    await stopping
    await vi.advanceTimersByTimeAsync(60_000)
    expect([started(), giveUp.mock.calls]).toEqual([3, []])
  })
})

describe('a restart', () => {
  test('replaces the workers one by one, each after its replacement is ready', async () => {
    const pool = await poolOf(2)
    const done = vi.fn()
    pool.restart().then(done)
    await flush(pool)
    expect([started(), child(1).send.mock.calls]).toEqual([3, []])
    await child(3).ready()
    expect(child(1).send.mock.calls).toEqual([['handed over']])
    expect([started(), child(2).send.mock.calls]).toEqual([3, []])
    await child(1).exit(0)
    expect([started(), child(2).send.mock.calls]).toEqual([4, []])
    await child(4).ready()
    expect(child(2).send.mock.calls).toEqual([['handed over']])
    expect(done).not.toHaveBeenCalled()
    await child(2).exit(0)
    expect(done).toHaveBeenCalledOnce()
    // The workers that ended were asked to: they did not die.
    expect(started()).toBe(4)
    expect(log().error).not.toHaveBeenCalled()
  })

  test('has no effect during another restart', async () => {
    const pool = await poolOf(2)
    pool.restart()
    await pool.restart()
    await flush(pool)
    expect(started()).toBe(3)
  })

  test('keeps the other workers where a new one fails to start, and can be repeated', async () => {
    const pool = await poolOf(2)
    const restarting = pool.restart()
    await child(3).fail('the file is no JSON')
    await child(3).exit(1)
    await restarting
    for (const id of [1, 2]) expect(child(id).send).not.toHaveBeenCalled()
    const line = 'restart broken off: the other workers stay'
    expect(log().error).toHaveBeenCalledExactlyOnceWith({ reason: 'the file is no JSON' }, line)
    // Two workers run: no other is needed until the next request.
    await vi.advanceTimersByTimeAsync(60_000)
    expect([started(), giveUp.mock.calls]).toEqual([3, []])
    pool.restart()
    await child(4).ready()
    expect(child(1).send.mock.calls).toEqual([['handed over']])
  })

  test('stops no old worker while a new one never becomes ready', async () => {
    const pool = await poolOf(2)
    pool.restart()
    child(3).emit('message', {})
    await vi.advanceTimersByTimeAsync(600_000)
    for (const id of [1, 2]) expect(child(id).send).not.toHaveBeenCalled()
    expect(started()).toBe(3)
  })

  test('keeps the number of workers when one dies during the restart', async () => {
    const pool = await poolOf(2)
    const restarting = pool.restart()
    await child(2).exit(1)
    await child(3).ready()
    await child(1).exit(0)
    await restarting
    expect([started(), child(3).send.mock.calls]).toEqual([4, []])
    await child(4).ready()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(started()).toBe(4)
  })

  test('keeps the number of workers when it is aborted and one dies', async () => {
    const pool = await poolOf(2)
    const restarting = pool.restart()
    await child(2).exit(1)
    await child(3).exit(1)
    await restarting
    expect(started()).toBe(4)
  })

  test('logs a worker that fails while stopping, and starts no second replacement for it', async () => {
    const pool = await poolOf(2)
    pool.restart()
    await child(3).ready()
    await child(1).exit(1)
    expect(log().error).toHaveBeenCalledExactlyOnceWith({ worker: 1, code: 1 }, 'worker died')
    // Only the next worker's replacement starts.
    expect(started()).toBe(4)
  })

  test('starts no more workers once the stop was requested', async () => {
    const pool = await poolOf(2)
    pool.restart()
    await child(3).ready()
    const stopping = pool.stop('announced')
    for (const id of [1, 2, 3]) await child(id).exit(0)
    await stopping
    expect(started()).toBe(3)
  })
})

describe('the stop', () => {
  test.each(['announced', 'at once'] as const)(
    'asks each worker to leave %s and waits for all',
    async (how) => {
      const pool = await poolOf(2)
      const done = vi.fn()
      pool.stop(how).then(done)
      for (const id of [1, 2]) expect(child(id).send.mock.calls).toEqual([[how]])
      await child(2).exit(0)
      expect(done).not.toHaveBeenCalled()
      await child(1).exit(0)
      expect(done).toHaveBeenCalledOnce()
      expect(started()).toBe(2)
    },
  )

  test('rejects after all have ended, with each worker that failed', async () => {
    const pool = await poolOf(3)
    const failing = expect(pool.stop('announced')).rejects.toThrow(
      /^worker 1 ended with SIGKILL; worker 3 ended with 1 \(the database is gone\)$/,
    )
    await child(1).exit(null, 'SIGKILL')
    await child(3).fail('the database is gone')
    await child(3).exit(1)
    await child(2).exit(0)
    await failing
    expect(started()).toBe(3)
  })

  test('reaches a worker that is not ready yet', async () => {
    const pool = await poolOf(2)
    await child(1).exit(1)
    const stopping = pool.stop('announced')
    expect(child(3).send.mock.calls).toEqual([['announced']])
    await child(2).exit(0)
    await child(3).exit(0)
    await stopping
    expect(started()).toBe(3)
  })

  test('sends nothing to a worker with a closed channel, and waits for its end', async () => {
    const pool = await poolOf(2)
    child(1).connected = false
    const stopping = pool.stop('announced')
    expect(child(1).send).not.toHaveBeenCalled()
    await child(1).exit(0)
    await child(2).exit(0)
    await stopping
  })
})

test('the workers that are left are killed with SIGKILL when the process exits', async () => {
  await poolOf(3)
  await child(2).exit(1)
  for (const listener of atExit()) listener(1)
  for (const id of [1, 3, 4]) expect(child(id).process.kill.mock.calls).toEqual([['SIGKILL']])
  expect(child(2).process.kill).not.toHaveBeenCalled()
})
