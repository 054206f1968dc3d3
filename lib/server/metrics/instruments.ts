import { Counter, collectDefaultMetrics, Histogram, type Registry } from '@prometheus-io/client'
import { onMeasured } from '#lib/platform/runtime/log.ts'

/** Upper bounds of the histogram in seconds, from a list to the longest request. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]
/** Upper bounds for vendor calls, which take longer and have longer timeouts. */
const CALL_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30]
const JOB_SECONDS = [0.1, 1, 5, 15, 60, 300, 900]

/** Registers the measurements of this process, and Node's process metrics, from now on. */
export function count(registry: Registry): void {
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'console_http_request_duration_seconds',
    help: 'Requests that have ended, by route, method and status.',
    labelNames: ['route', 'method', 'status'],
    buckets: REQUEST_SECONDS,
    registers,
  })
  onMeasured('request', ({ seconds, ...labels }) => requests.observe(labels, seconds))
  const calls = new Histogram({
    name: 'console_vendor_call_duration_seconds',
    help: 'Calls to vendors, by host and by status, or why there was none.',
    labelNames: ['host', 'outcome'],
    buckets: CALL_SECONDS,
    registers,
  })
  onMeasured('vendorCall', ({ host, outcome, seconds }) => calls.observe({ host, outcome }, seconds))
  const jobs = new Histogram({
    name: 'console_job_duration_seconds',
    help: 'Runs of jobs in this process, by outcome.',
    labelNames: ['job', 'outcome'],
    buckets: JOB_SECONDS,
    registers,
  })
  onMeasured('job', ({ seconds, ...labels }) => jobs.observe(labels, seconds))
  const signIns = new Counter({
    name: 'console_sign_ins_total',
    help: 'Attempts to sign in: opened, failed or throttled.',
    labelNames: ['outcome'],
    registers,
  })
  onMeasured('signIn', (labels) => signIns.inc(labels))
  const limits = new Counter({
    name: 'console_limits_hit_total',
    help: 'Requests that were refused because a limit was used up, by limit.',
    labelNames: ['limit'],
    registers,
  })
  onMeasured('limit', (labels) => limits.inc(labels))
  const messages = new Counter({
    name: 'console_outbox_deliveries_total',
    help: 'Attempts to deliver mails and webhooks, by kind and outcome.',
    labelNames: ['kind', 'outcome'],
    registers,
  })
  onMeasured('outbox', (labels) => messages.inc(labels))
}
