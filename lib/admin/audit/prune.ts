import pg from 'pg'
import type { CustomerId } from '#lib/access/rules.ts'
import { listCustomers } from '#lib/access/store.ts'
import { Problem } from '#lib/api/problem.ts'
import { ownerOf } from '#lib/db/logins.ts'
import { readScope, scope } from '#lib/db/scope.ts'
import { startDatabase } from '#lib/db/start.ts'
import { env } from '#lib/env.ts'
import { verifyChain } from '#lib/history/verify.ts'
import { customerNamed, recordDeed } from '../command.ts'
import { interruption, note, print } from '../terminal.ts'

type Given = { customer?: string; months?: number; dryRun?: boolean }

/**
 * Removes the beginning of each chain, up to the first event of a month that is kept. Only the database's owner may, by
 * this command: what serves requests can't. Where it begins then is written down, with the digest of what went last.
 * @throws Problem where a chain does not verify: it is evidence, and stays; or where it is not whole yet
 */
export async function pruneHistory({
  customer,
  months = env().history.months,
  dryRun,
}: Given): Promise<void> {
  const customers = customer === undefined ? await listCustomers() : [await customerNamed(customer)]
  const owner = new pg.Client(ownerOf((await startDatabase()).direct))
  await owner.connect()
  const left: string[] = []
  try {
    for (const { customerId } of customers) {
      interruption.signal.throwIfAborted()
      const end = await lastOver(owner, customerId, months)
      if (!end) continue
      const { fault, waiting } = await readScope({ customerId }, (tx) => verifyChain(tx, customerId))
      if (fault) left.push(`${customerId} does not verify`)
      else if (waiting) left.push(`${customerId} is not chained to its end yet`)
      else if (dryRun) print(`${customerId}: ${end.count} events from before ${end.before} would be removed`)
      else await remove(owner, customerId, end)
    }
    if (!dryRun) await forgetStrangers(owner, months)
  } finally {
    await owner.end()
  }
  if (left.length === 0) return
  const text = `The history was left as it is where it must not be touched: ${left.join('; ')}. See: audit verify`
  throw new Problem('invalid_request', text)
}

type End = { seq: string; before: string; count: string }

/** The last place before the first event of the months that are kept; undefined where nothing is older. */
async function lastOver(owner: pg.Client, customerId: CustomerId, months: number): Promise<End | undefined> {
  const { rows } = await owner.query<End>(
    `WITH kept AS (SELECT date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
       - $2::int * interval '1 month' AS since)
     SELECT max(c.seq) AS seq, to_char((SELECT since FROM kept) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS before,
       count(*) AS count
     FROM audit_chain c WHERE c.customer_id = $1 AND c.seq < coalesce(
       (SELECT min(l.seq) FROM audit_chain l
        JOIN audit_events e ON e.customer_id = l.customer_id AND e.id = l.event_id
        WHERE l.customer_id = $1 AND e.at >= (SELECT since FROM kept)), 9223372036854775807)`,
    [customerId, months],
  )
  return rows[0]?.seq ? rows[0] : undefined
}

async function remove(owner: pg.Client, customerId: CustomerId, { seq, before, count }: End): Promise<void> {
  await owner.query('BEGIN')
  try {
    await owner.query(
      `INSERT INTO audit_closings (customer_id, seq, digest, before)
       SELECT customer_id, seq, digest, $3::date::timestamp AT TIME ZONE 'UTC' FROM audit_chain
       WHERE customer_id = $1 AND seq = $2`,
      [customerId, seq, before],
    )
    const gone = 'SELECT event_id FROM audit_chain WHERE customer_id = $1 AND seq <= $2'
    await owner.query(`DELETE FROM audit_events WHERE customer_id = $1 AND id IN (${gone})`, [
      customerId,
      seq,
    ])
    await owner.query('DELETE FROM audit_chain WHERE customer_id = $1 AND seq <= $2', [customerId, seq])
    await owner.query('COMMIT')
  } catch (error) {
    await owner.query('ROLLBACK').catch(() => {})
    throw error
  }
  const details = { upTo: Number(seq), before }
  await scope({ customerId }, (tx) => recordDeed(tx, customerId, 'history.closed', customerId, details), {
    evenIfClosed: true,
  })
  print(`${customerId}: ${count} events from before ${before} removed; the chain goes on after place ${seq}`)
}

async function forgetStrangers(owner: pg.Client, months: number): Promise<void> {
  const { rowCount } = await owner.query(
    "DELETE FROM refused_strangers WHERE minute < now() - $1::int * interval '1 month'",
    [months],
  )
  if (rowCount) note(`${rowCount} counts of refused strangers removed.`)
}
