import cluster from 'node:cluster'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import type { Application } from './application.ts'
import { checkSettings } from './check-settings.ts'
import { heedSignals, RESTART, type Running, runUntilStopped } from './workers/lifetime.ts'
import { processSettings } from './workers/settings.ts'
import type { ReadyWorker } from './workers/worker-process.ts'

/** Workers report a failed stop themselves, so much earlier than their primary would, in milliseconds. */
const FOR_WORKERS = 10_000

// Production process, or the primary of several. Exits with 0 after a successful stop, else with 1.
if (cluster.isWorker) (await import('./workers/worker.ts')).runWorker(startAlone)
else run()

function run(): void {
  const starting = start()
  heedSignals(runUntilStopped(starting, logStartError, FOR_WORKERS))
  starting.then(({ url, note }) => process.stdout.write(`Listening on ${url} (${note})\n`), ignore)
  process.on(RESTART, () => {
    starting.then(({ restart }) => {
      log().info(
        restart ? 'asked to restart the workers' : 'asked to restart workers, of which there are none',
      )
      return restart?.()
    }, ignore)
  })
}

/** Starts a single process, or the primary of several. Each loads only its own modules. */
async function start(): Promise<Running & ReadyWorker & { restart?(): Promise<void> }> {
  checkSettings()
  const { count } = processSettings()
  if (count === 1) return startAlone()
  return (await import('./workers/primary.ts')).startPrimary(count, (error) => {
    logStartError(error)
    process.exit(1)
  })
}

async function startAlone(): Promise<Application> {
  return (await import('./application.ts')).startApplication()
}

function logStartError(error: unknown): void {
  process.stderr.write(`Licenses & Invoices stopped: ${reasonOf(error)}\n`)
}

function ignore(): void {}
