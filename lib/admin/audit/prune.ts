import pg from 'pg'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { listCustomers } from '#lib/platform/caller/store.ts'
import { ownerOf } from '#lib/platform/db/logins.ts'
import { untilUnlocked } from '#lib/platform/db/migrate.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { startDatabase } from '#lib/platform/db/start.ts'
import { historySettings } from '#lib/platform/history/settings.ts'
import { verifyChain } from '#lib/platform/history/verify.ts'
import { customerNamed, recordOperatorAction } from '../command.ts'
import { counted, interruption, note, print } from '../terminal.ts'

type PruneOptions = { customer?: string; months?: number; dryRun?: boolean }

/**
 * Removes the beginning of each chain, up to the first event of a retained month. Requires the database's owner, which
 * only this command uses: logins that serve requests can't prune. Records the new beginning with the digest of the last
 * removed event. For all customers, drops whole months; for one, or where a customer's events must stay, deletes event
 * by event.
 * @throws Problem where a chain does not verify, because it is evidence and stays, or is not completely chained yet
 */
export async function pruneHistory({
  customer,
  months = historySettings().months,
  dryRun,
}: PruneOptions): Promise<void> {
  const customers = customer === undefined ? await listCustomers() : [await customerNamed(customer)]
  const owner = new pg.Client(ownerOf((await startDatabase()).direct))
  await owner.connect()
  try {
    const { ends, whole, left } = await scanHistory(owner, customers, months)
    if (dryRun)
      for (const [customerId, { count, before }] of ends)
        print(`${customerId}: ${counted(Number(count), 'event')} from before ${before} would be removed`)
    else {
      const isOfAll = customer === undefined && left.length === 0
      await close(owner, ends)
      if (isOfAll) await dropMonths(owner, await monthsBefore(owner, months))
      await sweep(owner, whole)
      await deleteAnonymousEvents(owner, months)
    }
    if (left.length === 0) return
    const text = `The history was left as it is where it must not be touched: ${left.join('; ')}. See: audit verify`
    throw new Problem('invalid_request', text)
  } finally {
    await owner.end()
  }
}

/** Returns the end of each history's old events, the histories that are whole, and those that must stay. */
async function scanHistory(
  owner: pg.Client,
  customers: readonly { customerId: CustomerId }[],
  months: number,
) {
  const left: string[] = []
  const ends = new Map<CustomerId, End>()
  const whole: CustomerId[] = []
  for (const { customerId } of customers) {
    interruption.signal.throwIfAborted()
    const end = await lastOver(owner, customerId, months)
    if (!end && !(await hasClosed(owner, customerId))) continue
    const { violation, waiting } = await readScope({ customerId }, (tx) => verifyChain(tx, customerId))
    if (violation) left.push(`${customerId} does not verify`)
    else if (waiting) left.push(`${customerId} is not chained to its end yet`)
    else {
      whole.push(customerId)
      if (end) ends.set(customerId, end)
    }
  }
  return { ends, whole, left }
}

/** SQL of the last closed sequence number of the customer $1; null: none. */
const CLOSED = '(SELECT max(z.seq) FROM audit_closings z WHERE z.customer_id = $1)'

/** Returns whether closed events remain from an interrupted run. */
async function hasClosed(owner: pg.Client, customerId: CustomerId): Promise<boolean> {
  const { rows } = await owner.query(
    `SELECT FROM audit_chain WHERE customer_id = $1 AND seq <= ${CLOSED} LIMIT 1`,
    [customerId],
  )
  return rows.length > 0
}

type End = { seq: string; before: string; count: string }

/** Returns the last sequence number before the retained months; undefined where no older event is open. */
async function lastOver(owner: pg.Client, customerId: CustomerId, months: number): Promise<End | undefined> {
  const { rows } = await owner.query<End>(
    `WITH kept AS (SELECT date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
       - $2::int * interval '1 month' AS since)
     SELECT max(c.seq) AS seq, to_char((SELECT since FROM kept) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS before,
       count(*) AS count
     FROM audit_chain c WHERE c.customer_id = $1 AND c.seq > coalesce(${CLOSED}, c.seq - 1) AND c.seq < coalesce(
       (SELECT min(l.seq) FROM audit_chain l
        JOIN audit_events e ON e.customer_id = l.customer_id AND e.id = l.event_id
        WHERE l.customer_id = $1 AND e.at >= (SELECT since FROM kept)), 9223372036854775807)`,
    [customerId, months],
  )
  return rows[0]?.seq ? rows[0] : undefined
}

/** Records the new beginning of each chain; events before it may then be removed. */
async function close(owner: pg.Client, ends: ReadonlyMap<CustomerId, End>): Promise<void> {
  for (const [customerId, { seq, before, count }] of ends) {
    interruption.signal.throwIfAborted()
    await owner.query(
      `INSERT INTO audit_closings (customer_id, seq, digest, before)
       SELECT customer_id, seq, digest, $3::date::timestamp AT TIME ZONE 'UTC' FROM audit_chain
       WHERE customer_id = $1 AND seq = $2`,
      [customerId, seq, before],
    )
    const details = { upTo: Number(seq), before }
    await scope(
      { customerId },
      (tx) =>
        recordOperatorAction(tx, customerId, { action: 'history.closed', subject: customerId, details }),
      {
        evenIfClosed: true,
      },
    )
    print(
      `${customerId}: ${counted(Number(count), 'event')} from before ${before} removed; the chain goes on after place ${seq}`,
    )
  }
}

/** Deletes closed events that were not dropped with their month, all of a customer in one statement, to avoid gaps. */
async function sweep(owner: pg.Client, customers: readonly CustomerId[]): Promise<void> {
  for (const customerId of customers) {
    interruption.signal.throwIfAborted()
    await owner.query('BEGIN')
    try {
      const closed = `customer_id = $1 AND seq <= ${CLOSED}`
      await owner.query(
        `DELETE FROM audit_events WHERE customer_id = $1 AND id IN (SELECT event_id FROM audit_chain WHERE ${closed})`,
        [customerId],
      )
      await owner.query(`DELETE FROM audit_chain WHERE ${closed}`, [customerId])
      await owner.query('COMMIT')
    } catch (error) {
      await owner.query('ROLLBACK').catch(() => {})
      throw error
    }
  }
}

async function deleteAnonymousEvents(owner: pg.Client, months: number): Promise<void> {
  const { rowCount } = await owner.query(
    "DELETE FROM refused_strangers WHERE minute < now() - $1::int * interval '1 month'",
    [months],
  )
  if (rowCount) note(`${counted(rowCount, 'count')} of refused strangers removed.`)
}

/** Partition of the history that may be dropped: a month, or the partition from before monthly partitions. */
export type Month = { name: string; begins: string | null; ends: string }

/** Lock timeout in ms, as in migrations: shorter than the timeout of reads, which would queue behind the lock. */
const LOCK_WAIT = 150
const DROP_TIMEOUT_MS = 60_000

/**
 * Returns the partitions that end before the retained months, oldest first; none in a history without partitions. An
 * event's time is never later than the time of its id.
 * @param months number of retained months before the present one
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
 * Drops partitions whose events are all closed, oldest first. A partition with an open event, for example one outside
 * the chain, stays, as do all later partitions, to avoid a gap in any chain; the next run retries.
 */
export async function dropMonths(owner: pg.Client, parts: readonly Month[]): Promise<void> {
  for (const part of parts) {
    if (await hasOpen(owner, part)) return note(`${part.name} stays: not all of its events are closed.`)
    await drop(owner, part)
  }
}

async function hasOpen(owner: pg.Client, { begins, ends }: Month): Promise<boolean> {
  const closed =
    'WITH closed AS (SELECT customer_id, max(seq) AS seq FROM audit_closings GROUP BY customer_id) SELECT 1 FROM'
  const range = (id: string) =>
    `${id} < $2::bigint AND ($1::bigint IS NULL OR ${id} >= $1::bigint) AND (c.seq <= z.seq) IS NOT TRUE LIMIT 1`
  const linkOf = 'LEFT JOIN audit_chain c ON c.customer_id = e.customer_id AND c.event_id = e.id'
  for (const open of [
    `${closed} audit_events e LEFT JOIN closed z ON z.customer_id = e.customer_id ${linkOf} WHERE ${range('e.id')}`,
    `${closed} audit_chain c LEFT JOIN closed z ON z.customer_id = c.customer_id WHERE ${range('c.event_id')}`,
  ])
    if ((await owner.query(open, [begins, ends])).rows.length > 0) return true
  return false
}

/** Drops the partitions of both tables in one transaction. A month that is over receives no new events. */
async function drop(owner: pg.Client, { name }: Month): Promise<void> {
  const links = name.replace('audit_events', 'audit_chain')
  await untilUnlocked(owner, name, DROP_TIMEOUT_MS, async () => {
    await owner.query(`BEGIN; SET LOCAL lock_timeout = ${LOCK_WAIT}`)
    try {
      await owner.query(`DROP TABLE months.${name}, months.${links}`)
      await owner.query('COMMIT')
    } catch (error) {
      await owner.query('ROLLBACK').catch(() => {})
      throw error
    }
  })
  print(`${name.replace('audit_events_', '').replace('_', '-')}: removed completely`)
}
