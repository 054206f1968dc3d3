import { log } from '#lib/platform/runtime/log.ts'
import type { ShutdownReason } from '../application.ts'
import { processSettings } from './settings.ts'

/** Component that runs in a process until it is asked to stop. */
export type Running = { stop(reason: ShutdownReason): Promise<void> }

/**
 * Longest time between two signals that count as one, in milliseconds: a supervisor may signal the process and then its
 * group.
 */
const SAME_SIGNAL = 250

/**
 * Longest time for a stop, in milliseconds: running requests have 20 s, an embedded database a minute, and a hanging
 * server would take forever.
 */
const MAX_STOP_MS = 90_000

/** Ctrl-C stops immediately: an interactive user has no load balancer that needs notice. */
const SHUTDOWN_REASONS = { SIGTERM: 'announced', SIGHUP: 'announced', SIGINT: 'at once' } as const

/** Signals that request a stop. */
export const SIGNALS = Object.keys(SHUTDOWN_REASONS) as (keyof typeof SHUTDOWN_REASONS)[]

/** Signal that requests new workers. */
export const RESTART = 'SIGUSR2'

/** Used parts of the host process. */
export type Host = NodeJS.EventEmitter & Pick<NodeJS.Process, 'exit'>

/**
 * Keeps the process running until the returned function asks it to stop, and exits then: with 0 after success, else
 * with 1.
 * @param starting running component; a failure ends the process
 * @param report reports why the process exits with 1
 * @param slack additional milliseconds for the stop
 * @returns a function whose repeated calls have no effect
 */
export function runUntilStopped(
  starting: Promise<Running>,
  report: (error: unknown) => Promise<void> | void,
  slack = 0,
  host: Host = process,
): (reason: ShutdownReason) => Promise<void> {
  let isStopping = false
  const fail = async (error: unknown) => {
    await report(error)
    host.exit(1)
  }
  host.on('uncaughtException', (error) => {
    log().error({ err: error }, 'uncaught exception')
    host.exit(1)
  })
  host.on('unhandledRejection', (reason) => log().error({ err: reason }, 'unhandled rejection'))
  starting.catch(fail)
  return async (reason) => {
    if (isStopping) return
    isStopping = true
    try {
      const longest = MAX_STOP_MS + processSettings().noticeMs + slack
      setTimeout(() => fail('It does not stop, and is ended.'), longest).unref()
      const running = await starting
      log().info({ farewell: reason }, 'stopping')
      await running.stop(reason)
      host.exit(0)
    } catch (error) {
      await fail(error)
    }
  }
}

/** Handles signals: the first one lets running requests finish; another one ends the process immediately. */
export function heedSignals(stop: (reason: ShutdownReason) => Promise<void>, host: Host = process): void {
  let signaledAt: number | undefined
  for (const signal of SIGNALS)
    host.on(signal, () => {
      if (signaledAt === undefined) {
        signaledAt = Date.now()
        return stop(SHUTDOWN_REASONS[signal])
      }
      if (Date.now() - signaledAt > SAME_SIGNAL) host.exit(1)
      return undefined
    })
}
