import { randomUUID } from 'node:crypto'
import { PgBoss } from 'pg-boss'
import { recheckDomains } from '#lib/identity/access/sign-on/domains.ts'
import { adoptMails } from '#lib/identity/account-mails/adopt.ts'
import { MEMBER_MAILS } from '#lib/identity/account-mails/kinds.ts'
import { notifyOfExpiry } from '#lib/identity/keys/mails.ts'
import { readVendors, reconcileOpenChanges } from '#lib/licenses/license-changes/jobs.ts'
import { reconcileOrders } from '#lib/licenses/renewal-orders/jobs.ts'
import { mailOrders } from '#lib/licenses/renewal-orders/mails.ts'
import { noticeMail, sendNotices } from '#lib/notifications/notices/send.ts'
import { notifyOperators } from '#lib/notifications/operator-mail/send.ts'
import { writeDailyEvents } from '#lib/notifications/webhooks/daily.ts'
import { webhookChannel } from '#lib/notifications/webhooks/deliver.ts'
import { removePastWindows, WINDOW_SECONDS } from '#lib/platform/caller/limits/budget.ts'
import { loginOf } from '#lib/platform/db/logins.ts'
import { mailChannel } from '#lib/platform/outbox/mail.ts'
import { type Channel, deliverContinuously } from '#lib/platform/outbox/worker.ts'
import { log, measured, reasonOf, secondsSince } from '#lib/platform/runtime/log.ts'
import { publishChainHeads } from './audit/chain-heads.ts'
import { makeMonths } from './audit/months.ts'
import { runBackfills } from './backfills/run.ts'
import { prune } from './pruning/prune.ts'
import { purgeDeletedCustomers } from './pruning/purge-customers.ts'

type Job = {
  name: string
  /** Five fields, in UTC. */
  cron: string
  /** Given the id that change and audit rows name, and when to leave the rest. Says how much there was to do. */
  run(requestId: string, signal: AbortSignal): Promise<number>
}

/** A run of it leaves the rest to the next one, before the queue gives it up. In milliseconds. */
const FILLING = 600_000

const JOBS: Job[] = [
  { name: 'settle-open-changes', cron: '* * * * *', run: reconcileOpenChanges },
  { name: 'read-vendors', cron: '* * * * *', run: readVendors },
  { name: 'see-to-renewal-orders', cron: '* * * * *', run: reconcileOrders },
  { name: 'tell-of-renewal-orders', cron: '27 * * * *', run: mailOrders },
  // From six in the morning on: the first run of a day tells what the night has brought, the others what is left.
  { name: 'send-notices', cron: '23 6-23 * * *', run: sendNotices },
  { name: 'tell-operators', cron: '*/10 * * * *', run: notifyOperators },
  { name: 'tell-audit-heads', cron: '7 * * * *', run: publishChainHeads },
  { name: 'prune', cron: '41 2 * * *', run: prune },
  { name: 'make-months', cron: '51 2 * * *', run: () => makeMonths() },
  // Named as in the previous release, whose processes may still run it.
  { name: 'tell-members', cron: '* * * * *', run: adoptMails },
  { name: 'tell-of-ending-keys', cron: '17 * * * *', run: notifyOfExpiry },
  // Each domain once a day: what could not be asked is asked in the next hour.
  { name: 'recheck-domains', cron: '29 * * * *', run: recheckDomains },
  { name: 'write-daily-events', cron: '37 * * * *', run: writeDailyEvents },
  { name: 'forget-limits', cron: '41 * * * *', run: () => removePastWindows(WINDOW_SECONDS) },
  {
    name: 'run-backfills',
    cron: '* * * * *',
    run: (_, signal) => runBackfills({ signal: AbortSignal.any([signal, AbortSignal.timeout(FILLING)]) }),
  },
]

/** Messages of the outbox, by transport: every process delivers them. */
const CHANNELS: readonly Channel[] = [mailChannel([...MEMBER_MAILS, noticeMail]), webhookChannel]

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
