import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { asset, invoice, newCustomer } from '../../e2e/admin.ts'
import { run, startIsolatedApp } from '../../e2e/isolated-app.ts'
import { type Load, startLoad } from '../../e2e/load.ts'
import { NO_LIMITS } from '../../test/fakes/no-limits.ts'
import { NO_NETWORK } from '../../test/fakes/no-network.ts'

/** Databases that a run of the API tests creates, in any version. */
const MADE = "SELECT datname AS name FROM pg_database WHERE datname LIKE 'console\\_e2e\\_%'"
/**
 * Two versions share sessions, tokens and the database's logins through this secret, which `e2e/server.ts` sets with
 * DATABASE_URL.
 */
export const SECRET = 'only-for-tests-only-for-tests-only'
const CLIENTS = 4
const POLL_MS = 50
/** Number of polls before the older version drops the database whose failures the drop may have caused. */
const DROP_POLLS = 20
const VERIFY_MS = 5000

export type SideBySideResult = {
  answered: number
  failures: string[]
  /** Last output of the command that verifies all sums, while both versions wrote. */
  verified: string
}

/**
 * Waits until the older version's database has its own migrations and its tests have begun, and serves the database
 * with this version, under a load of calls of all kinds, until the older version drops it.
 */
export function serveSideBySide(
  server: string,
  dataDir: string,
  migrations: number,
): { end(): Promise<SideBySideResult> } {
  const stopping = new AbortController()
  const served = serve(server, dataDir, migrations, stopping.signal)
  served.catch(() => {})
  return {
    end: () => {
      stopping.abort()
      return served
    },
  }
}

async function serve(
  server: string,
  dataDir: string,
  migrations: number,
  signal: AbortSignal,
): Promise<SideBySideResult> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  const find = async () => (await client.query<{ name: string }>(MADE)).rows[0]?.name
  try {
    let name = await find()
    for (; !name && !signal.aborted; name = await find()) await sleep(POLL_MS)
    if (!name) return { answered: 0, failures: ['The older version made no database.'], verified: '' }
    const url = new URL(server)
    url.pathname = `/${name}`
    const env = environment(url.href, dataDir)
    await untilInUse(url.href, migrations, signal)
    const app = await startIsolatedApp(env)
    try {
      const load = await loadOn(app.url, env)
      // Failures before each of the latest polls, the oldest one first.
      const pollTimes: number[] = []
      let isOver = false
      let verified = 'the sums were not looked at'
      const verifying = (async () => {
        for (; !isOver; await sleep(VERIFY_MS)) {
          const { out, err } = await run('lib/admin/main.ts', env, ['sums', 'verify'])
          if (!isOver) verified = (err || out).trim()
        }
      })()
      while ((await find()) === name) {
        pollTimes.push(load.failures.length)
        if (pollTimes.length > DROP_POLLS) pollTimes.shift()
        await sleep(POLL_MS)
      }
      isOver = true
      await Promise.all([load.stop(), verifying])
      return { answered: load.answered(), failures: load.failures.slice(0, pollTimes[0] ?? 0), verified }
    } finally {
      app.killGroup('SIGKILL')
      await app.ended
    }
  } finally {
    await client.end()
  }
}

/** Waits until the tables are at least those of the older version, and a customer exists: a test has begun. */
async function untilInUse(url: string, migrations: number, signal: AbortSignal): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  // The tests may end and drop the database before they use it.
  client.on('error', () => {})
  await client.connect()
  const counted = `SELECT (SELECT count(*) FROM drizzle.__drizzle_migrations) >= ${migrations}
    AND EXISTS (SELECT FROM customers) AS used`
  try {
    const isUsed = () => client.query<{ used: boolean }>(counted).then(({ rows }) => rows[0]?.used, ignore)
    while (!signal.aborted && !(await isUsed())) await sleep(POLL_MS)
  } finally {
    await client.end()
  }
}

function ignore(): undefined {}

function environment(url: string, dataDir: string): NodeJS.ProcessEnv {
  const overrides = {
    DATA_DIR: dataDir,
    DATABASE_URL: url,
    BASE_URL: '',
    SESSION_SECRET: SECRET,
    DATABASE_SECRET: SECRET,
    PORT: '0',
  }
  const fixed = { NODE_ENV: 'production', HOST: '127.0.0.1', DRAIN_SECONDS: '0', LOG_LEVEL: '' } as const
  return { ...process.env, ...fixed, ...overrides, ...NO_NETWORK, ...NO_LIMITS }
}

/** Sends reads of all kinds and changes, of a new customer of this version. */
async function loadOn(url: string, env: NodeJS.ProcessEnv): Promise<Load> {
  const customer = await newCustomer('beside', env)
  const ids = Array.from({ length: CLIENTS }, (_, client) => `workspace-suite-${client}`)
  await customer.importAssets(ids.map((id) => asset(id, id, { purchased: 10 })))
  await customer.importInvoices(Array.from({ length: 50 }, (_, nth) => invoice(`IN-${nth}`)))
  const headers = {
    Authorization: `Bearer ${await customer.key('admin')}`,
    'Content-Type': 'application/json',
  }
  const reads = [
    '/billing/v1/assets',
    '/billing/v1/invoices',
    '/billing/v1/invoice-summary',
    '/billing/v1/statement',
    '/billing/v1/invoices.csv',
    '/billing/v1/license-changes',
    '/auth/v1/validate',
  ]
  return startLoad(url, CLIENTS, (nth, client) => {
    if (nth % 5 !== 0) return { path: reads[nth % reads.length] ?? '', headers }
    const path = `/billing/v1/assets/${ids[client]}`
    return { path, method: 'PATCH', headers, body: JSON.stringify({ quantity: 11 + (nth % 50) }) }
  })
}
