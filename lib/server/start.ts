import { log, reasonOf } from '#lib/log.ts'
import { startApplication } from './application.ts'

// The production process. It ends with 0 when it was asked to and all went well, else with 1.
let stoppedAt: number | undefined

/** A supervisor may signal the process and then its group: two signals so close together are one, in milliseconds. */
const SAME_SIGNAL = 250

/** Running requests have 20 s, an embedded database a minute, in milliseconds. A frozen server would take for ever. */
const LONGEST_STOP = 90_000

process.on('uncaughtException', (error) => {
  log().error({ err: error }, 'uncaught exception')
  process.exit(1)
})
process.on('unhandledRejection', (reason) => log().error({ err: reason }, 'unhandled rejection'))
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop)

const starting = startApplication(() => stoppedAt !== undefined)
starting.then(({ url, note }) => process.stdout.write(`Listening on ${url} (${note})\n`), fail)

/** The first signal lets running requests finish; another one doesn't wait for them. */
async function stop(signal: NodeJS.Signals): Promise<void> {
  if (stoppedAt !== undefined) {
    if (Date.now() - stoppedAt > SAME_SIGNAL) process.exit(1)
    return
  }
  stoppedAt = Date.now()
  setTimeout(() => fail('It does not stop, and is ended.'), LONGEST_STOP).unref()
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
