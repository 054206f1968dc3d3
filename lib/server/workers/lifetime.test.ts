import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { log } from '#lib/platform/runtime/log.ts'
import { heedSignals, runUntilStopped } from './lifetime.ts'
import { TestProcess } from './test-process.ts'

let host: TestProcess
beforeEach(() => {
  vi.useFakeTimers()
  vi.stubEnv('DRAIN_SECONDS', '7')
  host = new TestProcess()
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.useRealTimers()
})

const flush = (_happened?: unknown) => vi.advanceTimersByTimeAsync(0)

/** Creates a process whose start and stop end when the test decides. */
function live(slack?: number) {
  const starting = Promise.withResolvers<{ stop(): Promise<void> }>()
  const stopping = Promise.withResolvers<void>()
  const stop = vi.fn(() => stopping.promise)
  const report = vi.fn()
  const requestStop = runUntilStopped(starting.promise, report, slack, host)
  return {
    starting,
    stopping,
    stop,
    report,
    requestStop,
    ready: () => flush(starting.resolve({ stop })),
  }
}

describe('a process that is asked to stop', () => {
  test('stops in the requested way, and exits with 0 afterwards', async () => {
    const { ready, requestStop, stop, stopping } = live()
    await ready()
    requestStop('announced')
    await flush()
    expect(stop.mock.calls).toEqual([['announced']])
    expect(host.exit).not.toHaveBeenCalled()
    await flush(stopping.resolve())
    expect(host.exit).toHaveBeenCalledExactlyOnceWith(0)
  })

  test('stops once, even after repeated requests', async () => {
    const { ready, requestStop, stop } = live()
    await ready()
    requestStop('announced')
    requestStop('at once')
    await flush()
    expect(stop.mock.calls).toEqual([['announced']])
  })

  test('finishes its start first', async () => {
    const { ready, requestStop, stop } = live()
    requestStop('at once')
    await flush()
    expect(stop).not.toHaveBeenCalled()
    expect(host.exit).not.toHaveBeenCalled()
    await ready()
    expect(stop.mock.calls).toEqual([['at once']])
  })

  test('exits with 1 after a failed stop, once it has reported the reason', async () => {
    const { ready, requestStop, report, stopping } = live()
    await ready()
    const reported = Promise.withResolvers<void>()
    report.mockReturnValue(reported.promise)
    requestStop('announced')
    await flush(stopping.reject(new Error('worker 2 ended with SIGKILL')))
    expect(report.mock.calls).toEqual([[new Error('worker 2 ended with SIGKILL')]])
    expect(host.exit).not.toHaveBeenCalled()
    await flush(reported.resolve())
    expect(host.exit).toHaveBeenCalledExactlyOnceWith(1)
  })

  test('exits with 1 when it takes longer than 90 s, the notice and the slack', async () => {
    const { ready, requestStop, report } = live(10_000)
    await ready()
    requestStop('announced')
    await vi.advanceTimersByTimeAsync(106_999)
    expect(host.exit).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(report.mock.calls).toEqual([['It does not stop, and is ended.']])
    expect(host.exit).toHaveBeenCalledExactlyOnceWith(1)
  })
})

test('a process that fails to start exits with 1, once it has reported the reason', async () => {
  const { starting, report } = live()
  await flush(starting.reject(new Error('127.0.0.1:80 is in use')))
  expect(report.mock.calls).toEqual([[new Error('127.0.0.1:80 is in use')]])
  expect(host.exit).toHaveBeenCalledExactlyOnceWith(1)
})

test('an uncaught exception is logged and ends the process with 1; an unhandled rejection is logged', () => {
  const error = vi.spyOn(log(), 'error')
  live()
  host.emit('unhandledRejection', 'r')
  expect(error.mock.calls).toEqual([[{ err: 'r' }, 'unhandled rejection']])
  expect(host.exit).not.toHaveBeenCalled()
  host.emit('uncaughtException', 'e')
  expect(error).toHaveBeenLastCalledWith({ err: 'e' }, 'uncaught exception')
  expect(host.exit).toHaveBeenCalledExactlyOnceWith(1)
})

describe('a signal', () => {
  const stop = vi.fn()
  beforeEach(() => {
    stop.mockReset()
    heedSignals(stop, host)
  })

  test.each([
    ['SIGTERM', 'announced'],
    ['SIGHUP', 'announced'],
    ['SIGINT', 'at once'],
  ])('%s asks to stop %s', (signal, reason) => {
    host.emit(signal)
    expect(stop.mock.calls).toEqual([[reason]])
    expect(host.exit).not.toHaveBeenCalled()
  })

  test.each(['SIGTERM', 'SIGINT'])(
    'within 250 ms of the first is ignored as its repetition (%s)',
    async (second) => {
      host.emit('SIGTERM')
      await vi.advanceTimersByTimeAsync(250)
      host.emit(second)
      expect(host.exit).not.toHaveBeenCalled()
      expect(stop).toHaveBeenCalledOnce()
    },
  )

  test.each(['SIGTERM', 'SIGINT'])(
    'ends the process immediately when it follows after more than 250 ms, with 1 (%s)',
    async (second) => {
      host.emit('SIGTERM')
      await vi.advanceTimersByTimeAsync(200)
      host.emit('SIGTERM')
      await vi.advanceTimersByTimeAsync(51)
      host.emit(second)
      expect(host.exit).toHaveBeenCalledExactlyOnceWith(1)
    },
  )
})
