import { randomBytes } from 'node:crypto'
import pg from 'pg'

/**
 * Creates an empty database beside the one that `direct` names, for one test run.
 * @param url of the server, or of the pooler before it
 * @param direct the server's own address, whose login may create databases
 * @throws Error when the login may not, or the server can't be reached
 */
export async function createDatabase(
  url: string,
  direct = url,
): Promise<{ url: string; direct: string; drop: () => Promise<void> }> {
  const name = `console_e2e_${randomBytes(6).toString('hex')}`
  await run(direct, `CREATE DATABASE ${name}`)
  const [own, its] = [new URL(url), new URL(direct)]
  own.pathname = `/${name}`
  its.pathname = own.pathname
  return {
    url: own.href,
    direct: its.href,
    drop: () => run(direct, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  }
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
