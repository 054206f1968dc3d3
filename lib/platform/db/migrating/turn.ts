import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { log } from '#lib/platform/runtime/log.ts'
import { ownerOf } from '../logins.ts'

// Any number will do, as long as nothing else on the server takes it.
const ADVISORY_LOCK = 7_120_115_322

const AGAIN = 250

/**
 * Runs `work` while no other process changes this database's tables. The turn is a lock of a transaction on a
 * connection of its own: it goes with its process, however that ends, and a pooler between can't hand it to others. The
 * transaction does nothing, so that it keeps no vacuum from its work and no index from being built.
 * @param patience how long to wait for another process, in milliseconds
 * @param work is given a check that throws where the turn was lost
 * @throws Error where the other one is not done by then
 */
export async function inTurn(
  url: string,
  patience: number,
  work: (check: () => void) => Promise<void>,
): Promise<void> {
  const guard = new pg.Client({ ...ownerOf(url), connectionTimeoutMillis: 5000, keepAlive: true })
  let lost: Error | undefined
  guard.on('error', (error) => {
    lost = error
  })
  await guard.connect()
  try {
    await guard.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0')
    const end = performance.now() + patience
    for (let tries = 0; !(await isFree(guard)); tries++) {
      if (tries === 0) log().info('another process migrates the database: waiting for it')
      if (performance.now() > end)
        throw new Error(
          `Another process has been migrating the database for ${Math.round(patience / 1000)} s and is not done. Start again later.`,
        )
      await sleep(AGAIN)
    }
    await work(() => {
      if (lost)
        throw new Error('The connection that keeps other processes from migrating broke.', { cause: lost })
    })
  } finally {
    // Given back before the connection is, which something between may keep.
    await guard.query('ROLLBACK').catch(() => {})
    await guard.end()
  }
}

async function isFree(guard: pg.Client): Promise<boolean> {
  // Without values: such a statement is over when it is answered. Others keep their snapshot for the whole transaction,
  // and CREATE INDEX CONCURRENTLY would wait for it without end.
  const { rows } = await guard.query(`SELECT pg_try_advisory_xact_lock(${ADVISORY_LOCK}) AS free`)
  return rows[0].free
}
