import type pg from 'pg'
import { untilUnlocked } from '#lib/platform/db/migrating/retries.ts'
import { note, print } from '../terminal.ts'

/** A part of the history that may go whole: a month, or what was there before months were made. */
export type Month = { name: string; begins: string | null; ends: string }

/** Like a migration: shorter than a read waits, which would wait behind it. */
const LOCK_WAIT = 150
const PATIENCE = 60_000

/**
 * The parts of the history that end before the months that are kept, the oldest first; none where it is not kept in months.
 * An event's time is never later than that of its id.
 * @param months so many are kept beside the present one
 */
export async function monthsBefore(owner: pg.Client, months: number): Promise<Month[]> {
  const { rows } = await owner.query<Month>(
    `SELECT c.relname AS name, lag(m.ends) OVER (ORDER BY m.ends)::text AS begins, m.ends::text AS ends
     FROM history_months() m JOIN pg_class c ON c.oid = m.part
     WHERE m.named = 'audit_events' AND m.ends <= month_id(now() - $1::int * interval '1 month') ORDER BY m.ends`,
    [months],
  )
  return rows
}

/**
 * Drops the parts whose events are all closed, the oldest first. One with an event that is not, such as one that has no place in
 * its chain, stays, and so do those after it, so that no chain has a gap; they are tried again the next time.
 */
export async function dropMonths(owner: pg.Client, parts: readonly Month[]): Promise<void> {
  for (const part of parts) {
    if (await hasOpen(owner, part)) return note(`${part.name} stays: not all of its events are closed.`)
    await drop(owner, part)
  }
}

async function hasOpen(owner: pg.Client, { begins, ends }: Month): Promise<boolean> {
  const { rows } = await owner.query<{ open: boolean }>(
    `WITH closed AS (SELECT customer_id, max(seq) AS seq FROM audit_closings GROUP BY 1)
     SELECT EXISTS (
       SELECT FROM audit_events e LEFT JOIN closed z USING (customer_id)
       LEFT JOIN audit_chain c ON c.customer_id = e.customer_id AND c.event_id = e.id
       WHERE e.id < $2::bigint AND ($1::bigint IS NULL OR e.id >= $1::bigint) AND (c.seq <= z.seq) IS NOT TRUE)
     OR EXISTS (
       SELECT FROM audit_chain c LEFT JOIN closed z USING (customer_id)
       WHERE c.event_id < $2::bigint AND ($1::bigint IS NULL OR c.event_id >= $1::bigint) AND (c.seq <= z.seq) IS NOT TRUE) AS open`,
    [begins, ends],
  )
  return rows[0]?.open ?? true
}

/** Both tables of it at once. Nothing is added to a month that is over. */
async function drop(owner: pg.Client, { name }: Month): Promise<void> {
  const links = name.replace('audit_events', 'audit_chain')
  await untilUnlocked(owner, name, PATIENCE, async () => {
    await owner.query(`BEGIN; SET LOCAL lock_timeout = ${LOCK_WAIT}`)
    try {
      await owner.query(`DROP TABLE months.${name}, months.${links}`)
      await owner.query('COMMIT')
    } catch (error) {
      await owner.query('ROLLBACK').catch(() => {})
      throw error
    }
  })
  print(`${name.replace('audit_events_', '').replace('_', '-')}: removed whole`)
}
