import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase } from './client.ts'
import { onDatabase, run } from './test-server.ts'

type Row = Record<string, unknown>

/** A migrated, empty database for one test file, opened as this process's database. */
export type TestDatabase = {
  url: string
  opened: Database
  /** Runs SQL as the app's role in one customer's scope: the owner sees nothing past the second wall. */
  sql(customerId: string, statement: string, values?: unknown[]): Promise<Row[]>
  close(): Promise<void>
}

/** Clones the template: some 80 ms. */
export async function testDatabase(): Promise<TestDatabase> {
  const templateUrl = inject('templateUrl')
  const name = `console_test_${randomBytes(6).toString('hex')}`
  const maintenance = onDatabase(templateUrl, 'postgres')
  await run(maintenance, `CREATE DATABASE ${name} TEMPLATE ${new URL(templateUrl).pathname.slice(1)}`)
  const url = onDatabase(templateUrl, name)
  const opened = openDatabase(url)
  const viewer = new pg.Client({ connectionString: url, options: '-c role=console_app' })
  await viewer.connect()
  return {
    url,
    opened,
    async sql(customerId, statement, values) {
      await viewer.query("SELECT set_config('console.customer', $1, false)", [customerId])
      return (await viewer.query(statement, values)).rows
    },
    async close() {
      await viewer.end()
      await opened.close()
      await run(maintenance, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    },
  }
}
