import type pg from 'pg'
import type { Database } from '../client.ts'
import { refused } from './check.ts'

/** Names of prepared statements that the server does not know, or knows already. */
const OF_ANOTHER = new Set(['26000', '42P05'])

/**
 * Opens a connection of each pool, which is checked then, and looks whether a pooler between keeps what is prepared.
 * @throws Error that says in one line what is wrong
 */
export async function checkConnections(database: Database): Promise<void> {
  const { app, reads, streams, keys, sessions, signIn, jobs } = database
  await Promise.all([app, streams, keys, sessions, signIn, jobs].map(tried))
  // Two, each of which prepares a statement under one name: without a pooler's help they come upon each other's.
  const [one, other] = await Promise.all([reads.connect(), reads.connect()])
  try {
    if (!(await isPooled(one))) return
    await checkTransactions(one)
    await checkPrepared(one, other)
  } finally {
    // With what they have prepared.
    one.release(true)
    other.release(true)
  }
}

async function tried(pool: pg.Pool): Promise<void> {
  const client = await pool.connect()
  client.release()
}

/**
 * Whether something between hands the statements of this connection to connections of its own: the process that
 * answers is not the one that the connection was told of.
 */
export async function isPooled(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ process: number }>('SELECT pg_backend_pid() AS process')
  return rows[0]?.process !== (client as unknown as { processID: number }).processID
}

async function checkTransactions(client: pg.PoolClient): Promise<void> {
  try {
    await client.query('BEGIN')
    await client.query('COMMIT')
  } catch (error) {
    throw refused(
      `The pooler before the database keeps no transaction together: it needs pool_mode = transaction. (${(error as Error).message})`,
    )
  }
}

async function checkPrepared(one: pg.PoolClient, other: pg.PoolClient): Promise<void> {
  const ask = async (client: pg.PoolClient, whose: string) => {
    const { rows } = await client.query<{ whose: string }>({
      name: 'whose',
      text: `SELECT '${whose}' AS whose`,
    })
    return rows[0]?.whose === whose
  }
  const all = async () => (await ask(one, 'one')) && (await ask(other, 'other')) && (await ask(one, 'one'))
  const areKept = await all().catch((error: { code?: string }) => {
    if (OF_ANOTHER.has(error.code ?? '')) return false
    throw error
  })
  if (!areKept)
    throw refused(
      'The pooler before the database does not keep prepared statements: it must be pgbouncer 1.21 or later, with max_prepared_statements of 200 or more.',
    )
}
