import pg from 'pg'

const INSUFFICIENT_PRIVILEGE = '42501'

/** Whether the product comes to the server through a pooler, which has fewer connections there, and prepares by text. */
export const isBehindPooler = Boolean(process.env.DATABASE_URL && process.env.DATABASE_DIRECT_URL)

/** Whether the tests' databases are spread over several machines (test-citus.ts). */
export const isDistributed = Boolean(process.env.CITUS_URL)

/**
 * A database of the test server as the product reaches it: by the host and port of DATABASE_URL, where a pooler stands
 * before the server of DATABASE_DIRECT_URL. The tests' own look at it goes past that.
 */
export function throughPooler(url: string): string {
  const { DATABASE_URL: pooler, DATABASE_DIRECT_URL: direct } = process.env
  if (!pooler || !direct) return url
  const through = new URL(url)
  through.host = new URL(pooler).host
  return through.href
}

/** The same server, another database. */
export function onDatabase(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}

/**
 * Runs statements that can't be in a transaction, on a connection of their own. Several in one text are one transaction,
 * of which a spread database refuses those that change tables: give it each by itself.
 */
export async function run(url: string, ...queries: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const query of queries) await client.query(query)
  } finally {
    await client.end()
  }
}

/**
 * Drops a database with whoever is connected to it. A worker of autovacuum may not be ended by a plain owner's FORCE;
 * without it, the server ends such a worker itself.
 */
export async function dropDatabase(url: string, name: string): Promise<void> {
  const drop = `DROP DATABASE IF EXISTS ${name}`
  const force = () => run(url, `${drop} WITH (FORCE)`)
  await force().catch(async (error: { code?: string }) => {
    if (error.code !== INSUFFICIENT_PRIVILEGE) throw error
    // Where others are connected, too, such as a pooler, the worker is ended all the same.
    await run(url, drop).catch(force)
  })
}
