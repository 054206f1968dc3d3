import { randomUUID } from 'node:crypto'
import { PgBoss } from 'pg-boss'
import { removePastWindows, WINDOW_SECONDS } from '#lib/platform/caller/limits/budget.ts'
import type { Job } from '#lib/platform/db/background.ts'
import { loginOf } from '#lib/platform/db/logins.ts'
import { mailChannel } from '#lib/platform/outbox/mail.ts'
import { type Channel, deliverContinuously } from '#lib/platform/outbox/worker.ts'
import { log, measured, reasonOf, secondsSince } from '#lib/platform/runtime/log.ts'
import { publishChainHeads } from './audit/chain-heads.ts'
import { makeMonths } from './audit/months.ts'
import { runBackfills } from './backfills/run.ts'
import { DOMAIN_WORK } from './domain-work.ts'
import { prune } from './pruning/prune.ts'
import { purgeDeletedCustomers } from './pruning/purge-customers.ts'

/** A run of it leaves the rest to the next one, before the queue gives it up. In milliseconds. */
const FILLING = 600_000

const JOBS: readonly Job[] = [
  ...DOMAIN_WORK.flatMap(({ jobs = [] }) => jobs),
  { name: 'tell-audit-heads', cron: '7 * * * *', run: publishChainHeads },
  { name: 'prune', cron: '41 2 * * *', run: prune },
  { name: 'make-months', cron: '51 2 * * *', run: () => makeMonths() },
  { name: 'forget-limits', cron: '41 * * * *', run: () => removePastWindows(WINDOW_SECONDS) },
  {
    name: 'run-backfills',
    cron: '* * * * *',
    run: (_, signal) => runBackfills({ signal: AbortSignal.any([signal, AbortSignal.timeout(FILLING)]) }),
  },
]

/** Messages of the outbox, by transport: every process delivers them. */
const CHANNELS: readonly Channel[] = [
  mailChannel(DOMAIN_WORK.flatMap(({ mails = [] }) => mails)),
  ...DOMAIN_WORK.flatMap(({ channels = [] }) => channels),
]

/** The one that works as the database's owner. */
function removal(url: string): Job {
  const run: Job['run'] = (requestId, signal) => purgeDeletedCustomers(requestId, signal, url)
  return { name: 'remove-departed', cron: '11 3 * * *', run }
}

/** A job that is due again is not queued twice, and not run twice at once, however many processes there are. */
const QUEUE = {
  policy: 'exclusive',
  retryLimit: 0,
  expireInSeconds: 900,
  // A process that was killed gives its job back after this.
  heartbeatSeconds: 30,
  deleteAfterSeconds: 86_400,
} as const

/**
 * Runs the jobs that are due in this process, or leaves them to another one: the queue is in the database.
 * @param url of the database
 * @param direct the same, for the one that works as its owner
 */
export async function startJobs(url: string, direct = url): Promise<{ stop(): Promise<void> }> {
  const boss = new PgBoss({
    ...loginOf(url, 'console_jobs'),
    schema: 'pgboss',
    createSchema: false,
    max: 2,
    application_name: 'licenses-invoices-jobs',
  })
  // Such as a database that is away: it tries again by itself.
  boss.on('error', (error) => log().warn({ reason: reasonOf(error).slice(0, 300) }, 'job queue'))
  await boss.start()
  const stopping = new AbortController()
  for (const { name, cron, run } of [...JOBS, removal(direct)]) {
    await boss.createQueue(name, QUEUE)
    await boss.schedule(name, cron)
    await boss.work(name, { pollingIntervalSeconds: 5 }, (jobs) =>
      carryOut(name, run, AbortSignal.any([stopping.signal, ...jobs.map((job) => job.signal)])),
    )
  }
  const delivering = CHANNELS.map((channel) => deliverContinuously(channel, stopping.signal))
  const stop = async () => {
    stopping.abort()
    await Promise.all([boss.stop({ graceful: true, timeout: 10_000 }), ...delivering])
  }
  return { stop }
}

async function carryOut(name: string, run: Job['run'], signal: AbortSignal): Promise<void> {
  const requestId = `job-${randomUUID()}`
  const started = performance.now()
  const note = (outcome: 'done' | 'failed') =>
    measured('job', { job: name, outcome, seconds: secondsSince(started) })
  try {
    const count = await run(requestId, signal)
    note('done')
    if (count > 0) log().info({ job: name, requestId, count }, 'job done')
  } catch (error) {
    note('failed')
    const reason = reasonsOf(error)
    log().warn({ job: name, requestId, reason }, 'job failed')
    // The queue keeps this error's own text, for `admin status`: a count of errors would not help an operator.
    throw error instanceof AggregateError ? new Error(reason, { cause: error.errors[0] }) : error
  }
}

function reasonsOf(error: unknown): string {
  const all = error instanceof AggregateError ? error.errors : [error]
  return all
    .map((one) => reasonOf(one).slice(0, 200))
    .join('; ')
    .slice(0, 1000)
}
