import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase } from './client.ts'
import { loginOf } from './logins.ts'
import { copyDistributed, dropDistributed, workerUrlsOf } from './test-servers/test-citus.ts'
import { clockOf, clockTemplateOf, DEFAULTS_OF_CLOCK, nowOf, pathOfClock } from './test-servers/test-clock.ts'
import { dropDatabase, onDatabase, run, runOnShared, throughPooler } from './test-servers/test-server.ts'

type Row = Record<string, unknown>

/** Rows of a statement of `insertMany`. */
const STEP = 500

/**
 * Options that lift the login's limits, which are for the product: a test may insert many rows in one statement, and hold a
 * lock while a process starts.
 */
const NO_LIMITS = ['statement', 'lock', 'idle_in_transaction_session']
  .map((limit) => `-c ${limit}_timeout=0`)
  .join(' ')

/** A migrated, empty database for one test file, opened as this process's database. */
export type TestDatabase = {
  url: string
  opened: Database
  /** Runs SQL as the app's role in one customer's scope: the owner sees nothing past the second wall. */
  sql(customerId: string, query: string, values?: unknown[]): Promise<Row[]>
  /**
   * Runs an insert for the numbers from `$1` to `$2`, up to `count` in steps: the time of the triggers is quadratic in
   * the rows of a statement.
   */
  insertMany(customerId: string, count: number, query: string): Promise<void>
  /** Moves the clock of a database that has one of its own: it goes on from this time of UTC of this day, or noon. */
  setToday(today: string, time?: string): Promise<void>
  close(): Promise<void>
}

/**
 * Clones the template: some 80 ms. Where CITUS_URL is set, copies one that is spread: some two seconds.
 * @param options.today the day that it is in this database, as `YYYY-MM-DD`: its clock goes on from noon of UTC.
 * Without one it is now.
 */
export async function testDatabase({ today }: { today?: string } = {}): Promise<TestDatabase> {
  const templateUrl = inject('templateUrl')
  const name = `console_test_${randomBytes(6).toString('hex')}`
  const citus = process.env.CITUS_URL
  const maintenance = onDatabase(templateUrl, 'postgres')
  const template = new URL(templateUrl).pathname.slice(1)
  // Files cost half as much as pages, which go through the log; so does dropping them.
  if (!citus) {
    const source = today ? clockTemplateOf(template) : template
    await runOnShared(maintenance, `CREATE DATABASE ${name} TEMPLATE ${source} STRATEGY file_copy`)
  }
  const url = citus ? await copyDistributed(citus, template, name) : onDatabase(templateUrl, name)
  const onEachNode = async (queries: string, ...ofCoordinator: string[]) => {
    await run(url, queries, ...ofCoordinator)
    // Triggers of distributed tables ask the clock of their node.
    for (const worker of citus ? await workerUrlsOf(citus, name) : [])
      await run(worker, 'SET citus.enable_ddl_propagation TO off', queries)
  }
  if (today && citus) await onEachNode(clockOf(name, today), DEFAULTS_OF_CLOCK)
  else if (today) await run(url, nowOf(today), pathOfClock(name))
  const opened = openDatabase(throughPooler(url))
  // A busy machine may take more than two seconds to start a connection; a test that waits for an answer waits longer.
  for (const pool of Object.values(opened))
    if (pool instanceof pg.Pool) pool.options.connectionTimeoutMillis = 15_000
  const viewer = new pg.Client({ ...loginOf(url, 'console_app'), options: NO_LIMITS })
  await viewer.connect()
  const sql: TestDatabase['sql'] = async (customerId, query, values) => {
    // Of a transaction: so it reaches the machines of a database that is spread.
    if (citus) await viewer.query(`BEGIN; SET LOCAL console.customer = ${pg.escapeLiteral(customerId)}`)
    else await viewer.query("SELECT set_config('console.customer', $1, false)", [customerId])
    const { rows } = await viewer.query(query, values).finally(() => citus && viewer.query('COMMIT'))
    return rows
  }
  return {
    url,
    opened,
    sql,
    async insertMany(customerId, count, query) {
      for (let from = 1; from <= count; from += STEP)
        await sql(customerId, query, [from, Math.min(count, from + STEP - 1)])
    },
    setToday: (day, time) => onEachNode(nowOf(day, time)),
    async close() {
      await viewer.end()
      await opened.close()
      await (citus ? dropDistributed(citus, name) : dropDatabase(maintenance, name, runOnShared))
    },
  }
}
