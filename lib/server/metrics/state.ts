import { Counter, Gauge, type Registry } from '@prometheus-io/client'
import { cacheStats } from '#lib/platform/api/answer-cache.ts'
import { database } from '#lib/platform/db/client.ts'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { readServiceStats, type ServiceStats } from '../service-stats.ts'

/** Milliseconds for which figures of the database are cached, however often a client scrapes them. */
const FRESH_MS = 15_000

/** Tells in a registry, each time it is read, how the pools of this process and the service as a whole stand. */
export function watch(registry: Registry): void {
  watchPools(registry)
  watchCache(registry)
  observeStats(registry)
}

function watchCache(registry: Registry): void {
  const registers = [registry]
  const size: Gauge = new Gauge({
    name: 'console_answer_cache_bytes',
    help: 'Memory of the cached answers, roughly.',
    registers,
    collect: () => size.set(cacheStats().bytes),
  })
  const answers: Gauge = new Gauge({
    name: 'console_answer_cache_answers',
    help: 'Cached answers.',
    registers,
    collect: () => answers.set(cacheStats().answers),
  })
  const lookups = new Counter({
    name: 'console_answer_cache_lookups_total',
    help: 'Requests and pages whose answer may be cached: repeated (hit) or computed (miss).',
    labelNames: ['outcome'],
    registers,
    collect() {
      const { hits, misses } = cacheStats()
      lookups.reset()
      lookups.inc({ outcome: 'hit' }, hits)
      lookups.inc({ outcome: 'miss' }, misses)
    },
  })
  const evictions = new Counter({
    name: 'console_answer_cache_evictions_total',
    help: 'Answers that were dropped to make room for others.',
    registers,
    collect() {
      evictions.reset()
      evictions.inc(cacheStats().evictions)
    },
  })
}

function watchPools(registry: Registry): void {
  const connections = new Gauge({
    name: 'console_database_connections',
    help: 'Connections to the database by pool: in use, idle, and requests that wait for one.',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      const { close: _close, replica, semaphores, ...pools } = database()
      const there = replica ? { replicaReads: replica.reads, replicaStreams: replica.streams } : {}
      for (const [pool, openPool] of Object.entries({ ...pools, ...there })) {
        connections.set({ pool, state: 'used' }, openPool.totalCount - openPool.idleCount)
        connections.set({ pool, state: 'idle' }, openPool.idleCount)
        connections.set(
          { pool, state: 'waiting' },
          openPool.waitingCount + (semaphores.get(openPool)?.waiting() ?? 0),
        )
      }
    },
  })
}

function observeStats(registry: Registry): void {
  // Of all customers and processes: each process says the same, so that those of several are not added up.
  const shared = <Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    show: (gauge: Gauge<Label>, stats: ServiceStats) => void,
  ) => {
    const gauge: Gauge<Label> = new Gauge({
      name,
      help,
      labelNames,
      aggregator: 'max',
      registers: [registry],
      async collect() {
        const stats = await freshStats()
        gauge.reset()
        if (stats) show(gauge, stats)
        // Without labels a gauge is 0 from its beginning, which would be a wrong value for an unknown one.
        else if (labelNames.length === 0) (gauge as Gauge).set(Number.NaN)
      },
    })
  }
  const isUp: Gauge = new Gauge({
    name: 'console_database_up',
    help: '1 where the database answers this process.',
    aggregator: 'min',
    registers: [registry],
    collect: async () => isUp.set((await freshStats()) ? 1 : 0),
  })
  shared(
    'console_license_changes',
    'Changes of licenses that wait for their vendor (open) or for a person (unclear).',
    ['state'],
    (gauge, { changes }) => {
      gauge.set({ state: 'open' }, changes.open)
      gauge.set({ state: 'unclear' }, changes.unclear)
    },
  )
  shared(
    'console_license_change_oldest_open_seconds',
    'Age of the oldest open change; 0 where none is open.',
    [],
    (gauge, { changes }) => gauge.set(changes.oldestOpenSeconds ?? 0),
  )
  shared(
    'console_renewal_orders',
    'Orders for next terms: active, and of these not placed or not withdrawn at their vendor; unclear ones.',
    ['state'],
    (gauge, { orders }) => {
      gauge.set({ state: 'active' }, orders.active)
      gauge.set({ state: 'not_placed' }, orders.notPlaced)
      gauge.set({ state: 'not_withdrawn' }, orders.notWithdrawn)
      gauge.set({ state: 'unclear' }, orders.unclear)
    },
  )
  shared(
    'console_renewal_order_oldest_wait_seconds',
    'How long an order has waited for its vendor at most; 0 where none waits.',
    [],
    (gauge, { orders }) => gauge.set(orders.oldestWaitSeconds ?? 0),
  )
  shared(
    'console_subscriptions_due',
    'Subscriptions whose vendor should have been asked by now.',
    ['vendor', 'account'],
    (gauge, { accounts }) => {
      for (const { vendor, vendorAccount: account, due } of accounts) gauge.set({ vendor, account }, due)
    },
  )
  shared(
    'console_job_failing',
    '1 where the last run of a job that ended has failed.',
    ['job'],
    (gauge, { jobs }) => {
      for (const { job, failedAt, doneAt } of jobs)
        gauge.set({ job }, failedAt !== null && (doneAt === null || doneAt < failedAt) ? 1 : 0)
    },
  )
  shared(
    'console_outbox_waiting',
    'Mails and webhooks that are not delivered yet, by kind; without those of paused webhooks.',
    ['kind'],
    (gauge, { outbox }) => {
      for (const { kind, waiting } of outbox) gauge.set({ kind }, waiting)
    },
  )
  shared(
    'console_outbox_oldest_seconds',
    'Age of the oldest mail or webhook that is not delivered yet, by kind; without those of paused webhooks.',
    ['kind'],
    (gauge, { outbox }) => {
      for (const { kind, oldestSeconds } of outbox) gauge.set({ kind }, oldestSeconds)
    },
  )
  shared(
    'console_domains_lost',
    'Domains of single sign-on whose DNS record is missing: after seven days they find no issuer.',
    [],
    (gauge, { domains }) => gauge.set(domains.lost),
  )
}

let last: { at: number; stats: Promise<ServiceStats | undefined> } | undefined

/** Undefined where the database does not give them. */
function freshStats(): Promise<ServiceStats | undefined> {
  if (last && performance.now() - last.at < FRESH_MS) return last.stats
  const stats = readServiceStats().catch((error: unknown) => {
    log().warn({ reason: reasonOf(error).slice(0, 300) }, 'the figures for /metrics could not be read')
    return undefined
  })
  last = { at: performance.now(), stats }
  return stats
}
