import { randomBytes } from 'node:crypto'
import pg from 'pg'

/**
 * Creates an empty database beside the one that `url` names, for one test run.
 * @param url a PostgreSQL address whose login may create databases
 * @throws Error when the login may not, or the server can't be reached
 */
export async function createDatabase(url: string): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `console_e2e_${randomBytes(6).toString('hex')}`
  await run(url, `CREATE DATABASE ${name}`)
  const own = new URL(url)
  own.pathname = `/${name}`
  return { url: own.href, drop: () => run(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) }
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
