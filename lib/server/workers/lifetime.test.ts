import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { log } from '#lib/platform/runtime/log.ts'
import { heedSignals, liveUntilAsked } from './lifetime.ts'
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

const settle = (_happened?: unknown) => vi.advanceTimersByTimeAsync(0)

/** A process whose start and stop end when the test says so. */
function live(slack?: number) {
  const starting = Promise.withResolvers<{ stop(): Promise<void> }>()
  const stopping = Promise.withResolvers<void>()
  const stop = vi.fn(() => stopping.promise)
  const tell = vi.fn()
  const ask = liveUntilAsked(starting.promise, tell, slack, host)
  return { starting, stopping, stop, tell, ask, ready: () => settle(starting.resolve({ stop })) }
}

describe('a process that is asked to stop', () => {
  test('stops with that farewell, and exits with 0 when it has stopped', async () => {
    const { ready, ask, stop, stopping } = live()
    await ready()
    ask('announced')
    await settle()
    expect(stop.mock.calls).toEqual([['announced']])
    expect(host.exit).not.toHaveBeenCalled()
    await settle(stopping.resolve())
    expect(host.exit).toHaveBeenCalledExactlyOnceWith(0)
  })

  test('stops once, however often it is asked', async () => {
    const { ready, ask, stop } = live()
    await ready()
    ask('announced')
    ask('at once')
    await settle()
    expect(stop.mock.calls).toEqual([['announced']])
  })

  test('finishes its start first', async () => {
    const { ready, ask, stop } = live()
    ask('at once')
    await settle()
    expect(stop).not.toHaveBeenCalled()
    expect(host.exit).not.toHaveBeenCalled()
    await ready()
    expect(stop.mock.calls).toEqual([['at once']])
  })

  test('exits with 1 when it does not stop well, after it has said why', async () => {
    const { ready, ask, tell, stopping } = live()
    await ready()
    const told = Promise.withResolvers<void>()
    tell.mockReturnValue(told.promise)
    ask('announced')
    await settle(stopping.reject(new Error('worker 2 ended with SIGKILL')))
    expect(tell.mock.calls).toEqual([[new Error('worker 2 ended with SIGKILL')]])
    expect(host.exit).not.toHaveBeenCalled()
    await settle(told.resolve())
    expect(host.exit).toHaveBeenCalledExactlyOnceWith(1)
  })

  test('exits with 1 when it takes longer than 90 s, the notice and the slack', async () => {
    const { ready, ask, tell } = live(10_000)
    await ready()
    ask('announced')
    await vi.advanceTimersByTimeAsync(106_999)
    expect(host.exit).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(tell.mock.calls).toEqual([['It does not stop, and is ended.']])
    expect(host.exit).toHaveBeenCalledExactlyOnceWith(1)
  })
})

test('a process that does not start exits with 1, after it has said why', async () => {
  const { starting, tell } = live()
  await settle(starting.reject(new Error('127.0.0.1:80 is in use')))
  expect(tell.mock.calls).toEqual([[new Error('127.0.0.1:80 is in use')]])
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
  ])('%s asks to stop %s', (signal, farewell) => {
    host.emit(signal)
    expect(stop.mock.calls).toEqual([[farewell]])
    expect(host.exit).not.toHaveBeenCalled()
  })

  test.each(['SIGTERM', 'SIGINT'])('that follows within 250 ms is the same one (%s)', async (second) => {
    host.emit('SIGTERM')
    await vi.advanceTimersByTimeAsync(250)
    host.emit(second)
    expect(host.exit).not.toHaveBeenCalled()
  })

  test.each(['SIGTERM', 'SIGINT'])(
    'that follows later ends the process at once, with 1 (%s)',
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
