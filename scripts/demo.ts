import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { parseArgs } from 'node:util'
import { announcement } from '#lib/demo/announcement.ts'
import { changedPasswords, issueDemoKey } from '#lib/demo/credentials.ts'
import { type DemoCustomer, demoCustomers } from '#lib/demo/customers.ts'
import { DEMO_PASSWORD, loadDemo } from '#lib/demo/load.ts'
import { databaseSettings } from '#lib/platform/db/settings.ts'
import { startDatabase } from '#lib/platform/db/start.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { installationSecret } from '#lib/platform/runtime/secrets.ts'
import { type Application, startApplication } from '#lib/server/application.ts'
import { checkSettings } from '#lib/server/check-settings.ts'
import { harborDemo } from '../test/fakes/harbor-demo.ts'
import { build } from './build.ts'
import { deleteDemoData } from './demo-reset.ts'
import { startDemoVendors } from './demo-vendors.ts'
import { showProgress } from './progress.mjs'

// Starts a console with data with one command from a fresh clone, and runs until it is stopped. With `--vendors`, fakes
// of the vendors run in the same process, and a customer has a subscription for each outcome of a license change.
// `--reset` deletes the data of earlier demos first.

// Keeps the printed text readable.
process.env.LOG_LEVEL ||= 'warn'
// A demo's sessions need not outlive it. Without DATABASE_URL the secret is stored with the data.
if (process.env.DATABASE_URL) process.env.SESSION_SECRET ||= randomBytes(32).toString('base64url')
// The page /developers/receive-webhooks has a receiver for this port.
process.env.WEBHOOK_PRIVATE_HOSTS ||= 'localhost:8080'

const chosen = options()

const LOOPBACK = ['127.0.0.1', '::1', 'localhost']

let interruptedAt = 0
const isStopping = () => interruptedAt > 0
process.on('unhandledRejection', (reason) => log().error({ err: reason }, 'unhandled rejection'))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
const starting = start()
starting.catch(fail)

/** Starts the demo. Returns undefined if it was asked to stop during the start; nothing is left running then. */
async function start(): Promise<Application | undefined> {
  checkSettings()
  await checkPort()
  // Reports a missing secret now and not after the build.
  installationSecret('database')
  if (chosen.reset) await deleteDemoData()
  await build({ quiet: true })
  if (isStopping()) return undefined
  const started = showProgress('Starting', '2 seconds, 10 with new data')
  const today = new Date().toISOString().slice(0, 10)
  const vendors = chosen.vendors ? await startDemoVendors(env().dataDir) : undefined
  const customers = [...demoCustomers(today), ...(vendors ? [harborDemo(today)] : [])]
  const database = await startDatabase()
  try {
    const added = await loadDemo(customers, today)
    if (added.length > 0) console.error(`Added the demo customers ${added.join(', ')}.`)
    await vendors?.fill(today, added.includes(harborDemo(today).name))
  } catch (error) {
    await database.stop()
    throw error
  }
  const application = await startApplication()
  started()
  try {
    await announce(application, customers)
    if (vendors) console.log(`${vendors.announcement(today)}\n`)
  } catch (error) {
    await application.stop('at once')
    throw error
  }
  return application
}

async function announce({ url }: Application, customers: DemoCustomer[]): Promise<void> {
  const { host, baseUrl, dataDir } = env()
  const database = databaseSettings()
  const isLocal = host === '127.0.0.1' && new URL(baseUrl).hostname === 'localhost'
  const emails = customers.flatMap(({ members }) => members.map(({ email }) => email))
  const { changed, error } = await changedPasswords(emails)
  // The console runs: missing data for its announcement are no reason to stop it.
  if (error) console.error(`Whether the password still fits could not be checked: ${error}`)
  const apiKey = await issueDemoKey(customers[0]?.domain ?? '', Number(new URL(url).port)).catch(
    (error: unknown) => {
      console.error(`No API key could be issued: ${reasonOf(error)}`)
      return undefined
    },
  )
  const text = announcement({
    // The listen address, unless a public address is set.
    address: isLocal ? url : baseUrl,
    data: database.url
      ? 'The data is in the database of DATABASE_URL.'
      : `The data is in ${dataDir}; with "-- --reset", a demo starts afresh.`,
    customers,
    password: DEMO_PASSWORD,
    changed,
    apiKey,
  })
  console.log(`\n${text}\n`)
  if (!LOOPBACK.includes(host)) console.log(`Whoever reaches ${host} can sign in with this password.\n`)
}

function options(): { vendors?: boolean; reset?: boolean } {
  try {
    return parseArgs({
      options: {
        vendors: { type: 'boolean' },
        reset: { type: 'boolean' },
      },
    }).values
  } catch (error) {
    console.error(`${reasonOf(error)}\nUsage: npm run demo [-- --vendors --reset]`)
    process.exit(2)
  }
}

/** Checks the port before the build, which takes a while; the server reports other obstacles. */
async function checkPort(): Promise<void> {
  const { host, port } = env()
  const probe = createServer()
  try {
    await once(probe.listen(port, host), 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') return
    throw new Error(`${host}:${port} is in use, maybe by another demo. Set PORT to a free one.`)
  }
  await new Promise((resolve) => probe.close(resolve))
}

/**
 * Stops the demo. The first signal lets running requests finish; a second signal doesn't wait for them. A signal within
 * a second is a duplicate: the process group got it and npm passed it on. A closed terminal sends SIGHUP more than
 * once, too.
 */
async function stop(signal: NodeJS.Signals): Promise<void> {
  if (interruptedAt) {
    if (signal !== 'SIGHUP' && Date.now() - interruptedAt > 1000) process.exit(1)
    return
  }
  interruptedAt = Date.now()
  const application = await starting.catch(() => undefined)
  await application?.stop('at once')
  process.exit()
}

function fail(error: unknown): void {
  // An error after a request to stop, for example during the build, is no failure.
  if (isStopping()) return
  console.error(`The demo stopped: ${reasonOf(error)}`)
  process.exit(1)
}
