import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'

/** Pause between tries, in milliseconds. */
const PAUSE = 200

type Waiting = {
  /** Called repeatedly while another import of the customer runs, with the number of tries so far. */
  onWait?: ((tries: number) => void) | undefined
  signal?: AbortSignal | undefined
}

/**
 * Takes the customer's import lock until the transaction ends: no other transaction imports or undoes an import. Polls,
 * because a wait inside the database would end at the statement timeout and could not be interrupted.
 */
export async function lockImports(
  tx: Transaction,
  customerId: CustomerId,
  { onWait, signal }: Waiting = {},
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { rows } = await tx.execute<{ isLocked: boolean }>(sql`
      SELECT pg_try_advisory_xact_lock(hashtextextended(${`imports of ${customerId}`}, 0)) AS "isLocked"`)
    if (rows[0]?.isLocked) return
    onWait?.(tries)
    await sleep(PAUSE, undefined, signal ? { signal } : {})
  }
}
