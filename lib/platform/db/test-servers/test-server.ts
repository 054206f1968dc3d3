import pg from 'pg'

const INSUFFICIENT_PRIVILEGE = '42501'

/**
 * Whether the product connects through a pooler, which has fewer server connections, and prepares statements by text.
 */
export const isBehindPooler = Boolean(process.env.DATABASE_URL && process.env.DATABASE_DIRECT_URL)

/** Whether the tests' databases are distributed over several nodes (test-citus.ts). */
export const isDistributed = Boolean(process.env.CITUS_URL)

/**
 * Returns the product's URL of a test database: with host and port of DATABASE_URL, which may be a pooler before the
 * server of DATABASE_DIRECT_URL. The tests' own connections bypass the pooler.
 */
export function throughPooler(url: string): string {
  const { DATABASE_URL: pooler, DATABASE_DIRECT_URL: direct } = process.env
  if (!pooler || !direct) return url
  const through = new URL(url)
  through.host = new URL(pooler).host
  return through.href
}

/** Returns the URL of another database on the same server. */
export function onDatabase(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}

/**
 * Runs statements that can't be in a transaction, on a connection of their own. Several statements in one text form a
 * transaction, in which a distributed database refuses DDL: there they are sent one by one.
 */
export async function run(url: string, ...queries: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const query of queries.flatMap(queriesOf)) await client.query(query)
  } finally {
    await client.end()
  }
}

function queriesOf(text: string): string[] {
  return isDistributed && !text.includes('$$') ? text.split(/;\s*/).filter(Boolean) : [text]
}

/** Connection of this worker, which ends with it, for statements of each test file: opening one takes longer than them. */
let worker: { url: string; client: Promise<pg.Client> } | undefined

/** Runs a statement like `run`, on a connection that this process shares between its test files. */
export async function runOnShared(url: string, query: string): Promise<void> {
  worker ??= { url, client: connected(url) }
  if (worker.url !== url) throw new Error('The shared connection is for one database.')
  await (await worker.client).query(query)
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  // The server ends it at the end of the run.
  client.on('error', () => {})
  await client.connect()
  return client
}

/**
 * Drops a database and ends its connections. FORCE by an ordinary owner fails on an autovacuum worker; without FORCE,
 * the server ends such a worker itself.
 */
export async function dropDatabase(url: string, name: string, runOn = run): Promise<void> {
  const drop = `DROP DATABASE IF EXISTS ${name}`
  const force = () => runOn(url, `${drop} WITH (FORCE)`)
  await force().catch(async (error: { code?: string }) => {
    if (error.code !== INSUFFICIENT_PRIVILEGE) throw error
    // If others are connected, such as a pooler, the worker is ended as well.
    await runOn(url, drop).catch(force)
  })
}
