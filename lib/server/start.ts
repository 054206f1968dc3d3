import { log } from '#lib/log.ts'
import { startApplication } from './application.ts'

// The production process. It ends with 0 when it was asked to and all went well, else with 1.
let isStopping = false

process.on('uncaughtException', (error) => {
  log().error({ err: error }, 'uncaught exception')
  process.exit(1)
})
process.on('unhandledRejection', (reason) => log().error({ err: reason }, 'unhandled rejection'))
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop)

const starting = startApplication(() => isStopping)
starting.then(({ url, note }) => process.stdout.write(`Listening on ${url} (${note})\n`), fail)

/** The first signal lets running requests finish; another one doesn't wait for them. */
async function stop(signal: NodeJS.Signals): Promise<void> {
  if (isStopping) {
    // A closed terminal says so more than once.
    if (signal !== 'SIGHUP') process.exit(1)
    return
  }
  isStopping = true
  try {
    const application = await starting
    log().info({ signal }, 'stopping')
    await application.stop()
    process.exit(0)
  } catch (error) {
    fail(error)
  }
}

function fail(error: unknown): never {
  process.stderr.write(`Licenses & Invoices stopped: ${reasonOf(error)}\n`)
  process.exit(1)
}

function reasonOf(error: unknown): string {
  // A host with several addresses fails once for each.
  const first = error instanceof AggregateError ? error.errors[0] : error
  return first instanceof Error ? first.message || first.name : String(first)
}
