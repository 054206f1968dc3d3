import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { log } from '#lib/platform/runtime/log.ts'

/** Pauses between tries, in milliseconds. */
const FIRST_PAUSE = 250
const LONGEST_PAUSE = 10_000

/** Who holds what for longer than a try waits, or waits for it in the other order. */
const HELD = new Set(['55P03', '40P01'])

/**
 * Tries again and again what did not get its locks, with growing pauses.
 * @param patience after which it is not tried again, in milliseconds
 * @throws Error that names the migration and the transactions that run for the longest time
 */
export async function untilUnlocked(
  client: pg.Client,
  name: string,
  patience: number,
  attempt: () => Promise<void>,
): Promise<void> {
  const end = performance.now() + patience
  for (let tries = 1, pause = FIRST_PAUSE; ; tries++, pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      return await attempt()
    } catch (error) {
      if (!HELD.has((error as { code?: string }).code ?? '')) throw error
      if (performance.now() + pause > end)
        throw new Error(
          `it did not get its locks, tried ${tries} times: it never waits for long, so that nobody waits behind it. ${await oldest(client)} What is applied stays, and the next start goes on.`,
          { cause: error },
        )
      log().warn({ migration: name, tries }, 'migration: what it changes is held by others, trying again')
      await sleep(pause)
    }
  }
}

async function oldest(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ told: string }>(
    `SELECT format('process %s, %s, for %s s', pid, coalesce(nullif(application_name, ''), usename),
       round(extract(epoch FROM statement_timestamp() - xact_start))) AS told
     FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
       AND query NOT LIKE '%pg_try_advisory_xact_lock%'
     ORDER BY xact_start LIMIT 3`,
  )
  return rows.length === 0 ? '' : `The oldest transactions: ${rows.map(({ told }) => told).join('; ')}.`
}
