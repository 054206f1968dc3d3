import 'server-only'
import { database } from '#lib/db/client.ts'

// What is counted over all customers, as the role `console_jobs`: it sees no more of them than it counts.

export type ChangeCounts = { vendor: string; open: number; unclear: number; oldestOpenSeconds: number | null }

/** The changes that wait, by vendor; vendors without any are left out. */
export async function countChanges(): Promise<ChangeCounts[]> {
  const { rows } = await database().jobs.query<ChangeCounts>(
    `SELECT a.vendor,
       count(*) FILTER (WHERE c.state <> 'UNCLEAR')::int AS open,
       count(*) FILTER (WHERE c.state = 'UNCLEAR')::int AS unclear,
       extract(epoch FROM now() - min(c.created_at) FILTER (WHERE c.state <> 'UNCLEAR'))::int AS "oldestOpenSeconds"
     FROM license_changes c JOIN assets a ON a.customer_id = c.customer_id AND a.id = c.asset_id
     WHERE c.state IN ('CLAIMED', 'SENT', 'UNKNOWN', 'UNCLEAR')
     GROUP BY a.vendor`,
  )
  return rows
}

export type AssetCounts = { vendor: string; assets: number; neverRead: number; oldestReading: Date | null }

/** The assets whose books vendors keep, by vendor. `oldestReading`: of those that were read, the oldest reading. */
export async function countAssets(): Promise<AssetCounts[]> {
  const { rows } = await database().jobs.query<AssetCounts>(
    `SELECT vendor, count(*)::int AS assets, count(*) FILTER (WHERE observed_at IS NULL)::int AS "neverRead",
       min(observed_at) AS "oldestReading"
     FROM assets WHERE vendor <> 'built-in' AND subscription_id IS NOT NULL GROUP BY vendor`,
  )
  return rows
}

/** How many mails of notices were begun of which nobody knows yet whether they left. */
export async function countMails(): Promise<number> {
  const { rows } = await database().jobs.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM notice_mails WHERE state = 'SENDING'",
  )
  return rows[0]?.count ?? 0
}

/** When the migrations were made that this database has, in epoch milliseconds. */
export async function appliedMigrations(): Promise<number[]> {
  const { rows } = await database().jobs.query<{ when: string }>(
    'SELECT created_at AS "when" FROM drizzle.__drizzle_migrations ORDER BY created_at',
  )
  return rows.map(({ when }) => Number(when))
}

export type JobRuns = {
  job: string
  runningSince: Date | null
  doneAt: Date | null
  failedAt: Date | null
  reason: string | null
}

/** The latest runs of each job, as far as the queue keeps them: a day. None where no web process has run yet. */
export async function listJobRuns(): Promise<JobRuns[]> {
  const { jobs } = database()
  const { rows: made } = await jobs.query("SELECT to_regclass('pgboss.schedule') IS NOT NULL AS made")
  if (!made[0]?.made) return []
  const { rows } = await jobs.query<JobRuns>(
    `SELECT s.name AS job, active.started_on AS "runningSince", done.completed_on AS "doneAt",
       failed.completed_on AS "failedAt", left(failed.output ->> 'message', 200) AS reason
     FROM pgboss.schedule s
     LEFT JOIN LATERAL (SELECT started_on FROM pgboss.job j WHERE j.name = s.name AND j.state = 'active'
       ORDER BY started_on DESC LIMIT 1) active ON true
     LEFT JOIN LATERAL (SELECT completed_on FROM pgboss.job j WHERE j.name = s.name AND j.state = 'completed'
       ORDER BY completed_on DESC LIMIT 1) done ON true
     LEFT JOIN LATERAL (SELECT completed_on, output FROM pgboss.job j WHERE j.name = s.name AND j.state = 'failed'
       ORDER BY completed_on DESC LIMIT 1) failed ON true
     ORDER BY s.name`,
  )
  return rows
}
