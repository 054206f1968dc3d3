import { AsyncLocalStorage } from 'node:async_hooks'
import { type Channel, channel } from 'node:diagnostics_channel'
import { isMainThread } from 'node:worker_threads'
import { type DestinationStream, type Logger, pino } from 'pino'
import { env } from './env.ts'

const logSlot = globalThis as typeof globalThis & { licensesInvoicesLog?: Logger }

/**
 * Returns the process's log: JSON, one line per request, on standard output. Never contains keys, passwords or bodies.
 */
export function log(): Logger {
  logSlot.licensesInvoicesLog ??= newLog()
  return logSlot.licensesInvoicesLog
}

/** Adds these fields to each following line of this process's log, such as the worker's number. */
export function logAs(fields: Record<string, unknown>): void {
  logSlot.licensesInvoicesLog = log().child(fields)
}

/** Redirects the log to standard error: for commands whose standard output is their result. */
export function logToStderr(): void {
  logSlot.licensesInvoicesLog = newLog(pino.destination(2))
}

/**
 * Options of the log's standard output. A write for each line took 9 % of a server's time: lines are buffered until they
 * have 3 KiB, for a quarter of a second at most. The end of the process writes the rest. A write of 4 KiB or less to a pipe
 * is atomic (PIPE_BUF), so that the lines of several workers stay whole. Beyond 4 MiB, lines are dropped: an output that
 * accepts none must not fill the memory.
 */
const BUFFERED = {
  dest: 1,
  sync: false,
  minLength: 3072,
  maxWrite: 4096,
  maxLength: 4 << 20,
  periodicFlush: 250,
}

/**
 * Returns a new logger.
 * @param to destination, by default standard output
 */
export function newLog(to = standardOutput()): Logger {
  return pino({ level: env().logLevel, base: null, serializers: { err: withQueryText } }, to)
}

/** A thread may end without an event that would write the rest: its log is not buffered. */
function standardOutput(): DestinationStream | undefined {
  if (!isMainThread) return undefined
  const output = pino.destination(BUFFERED)
  // A closed terminal (EIO) or a full disk ends the log, and not the process: flushSync would repeat the write for ever.
  const ignore = () => {}
  output.on('error', () => Object.assign(output, { write: ignore, flush: ignore, flushSync: ignore }))
  return output
}

/** Returns the text of a failed statement, which lib/platform/db separates from its values: the text may be logged. */
function withQueryText(error: Error): object {
  const fields = pino.stdSerializers.err(error)
  return error instanceof Error && 'statement' in error ? { ...fields, statement: error.statement } : fields
}

/**
 * Returns the reason of an error, in one plain sentence for people: for a statement, the database's message; for a host
 * with several addresses, the first one's error.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof AggregateError && error.message === '') return reasonOf(error.errors[0])
  if ('statement' in error && error.cause) return reasonOf(error.cause)
  return error.message || error.name
}

/**
 * Logs why a request failed with a server error, with the stack. While the database is unreachable, every request fails
 * for the same reason, and logging each stack would take time needed for recovery: a single line suffices then.
 */
export function logFailure({ status }: { status: number }, error: unknown, requestId: string): void {
  // The cause has the reason; the outer error's message would repeat the statement.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (status === 500) log().error({ requestId, err: error }, 'request failed')
  else if (status > 500)
    log().warn({ requestId, reason: reasonOf(cause).slice(0, 300) }, 'request not answered')
}

/** Kind of transaction: see lib/platform/db/scope.ts. */
type Scope = 'read' | 'at once' | 'write' | 'stream'

/** Measurements by name, with their labels. Times in seconds. */
export type Measured = {
  /** Finished request; `route` is its contract's path, or the kind of file. */
  request: { route: string; method: string; status: number; seconds: number }
  /** Call to a vendor: the status of its answer, or `unsent`, `cut`. */
  vendorCall: { host: string; method: string; outcome: string; seconds: number }
  /**
   * Transaction of a customer with the wait for its connection and the number of its statements: `thrown` if the work,
   * or the end, threw.
   */
  transaction: { scope: Scope; statements: number; outcome: 'done' | 'thrown'; seconds: number }
  /** Request that was refused because this limit was used up. */
  limit: { limit: string }
  signIn: { outcome: 'opened' | 'failed' | 'throttled' }
  job: { job: string; outcome: 'done' | 'failed'; seconds: number }
  /** Attempt to deliver a message of the outbox, by its kind: `sent`, `waiting`, `refused`, `unknown`. */
  outbox: { kind: string; outcome: string }
}

// By name, because a page and a route handler have separate copies of this module in a production build.
const channels = new Map<string, Channel>()

function channelOf(name: keyof Measured): Channel {
  const existing = channels.get(name) ?? channel(`licenses-invoices.${name}`)
  channels.set(name, existing)
  return existing
}

/** Publishes a measurement; without METRICS_PORT and traces there is no subscriber. */
export function measured<Name extends keyof Measured>(name: Name, what: Measured[Name]): void {
  const to = channelOf(name)
  if (to.hasSubscribers) to.publish(what)
}

/** Subscribes to all measurements with a name in this process. */
export function onMeasured<Name extends keyof Measured>(
  name: Name,
  hear: (what: Measured[Name]) => void,
): void {
  channelOf(name).subscribe((what) => hear(what as Measured[Name]))
}

/** Measures a transaction from now until its end; undefined without subscribers. */
export function measuredTransaction(scope: Scope) {
  if (!channelOf('transaction').hasSubscribers) return undefined
  const started = performance.now()
  const end = (outcome: 'done' | 'thrown', statements: number) =>
    measured('transaction', { scope, statements, outcome, seconds: secondsSince(started) })
  return { end }
}

/** Returns the seconds since a time of `performance.now()`. */
export function secondsSince(started: number): number {
  return (performance.now() - started) / 1000
}

/** Current request, as log and history describe it. */
export type RequestContext = {
  requestId: string
  /** Client's address, as the server's admission determined it. */
  address: string
  /** User agent, truncated. */
  agent: string | null
  /** Authenticated caller: the id of a key or member, and the beginning of the session's digest. */
  callerId?: string
  customerId?: string
  session?: string | undefined
  /** Number of statements sent to the database, without those that begin and end transactions. */
  statements: number
  /** Whether the request failed after its status had been sent. */
  isFailed?: boolean
  /** Status of the page, where it is not 200: Next can set none for a page with content. */
  pageStatus?: 403 | 404
  /** Counts further work against the limit of an unknown client. @throws Problem `rate_limited` */
  charge?: ((weight: number) => void) | undefined
}

/** Browsers' user agents have some 120 characters. */
const MAX_AGENT_LENGTH = 300

// In a production build a page and a route handler have separate copies of this module.
const slot = globalThis as typeof globalThis & {
  licensesInvoicesRequestContext?: AsyncLocalStorage<RequestContext>
}
slot.licensesInvoicesRequestContext ??= new AsyncLocalStorage()
const requestContexts = slot.licensesInvoicesRequestContext

/** Runs work in a request's context, for everything that it logs and records. */
export function runWithRequestContext<T>(
  {
    agent,
    ...request
  }: Pick<RequestContext, 'requestId' | 'address' | 'charge'> & { agent: string | undefined },
  answer: () => T,
): T {
  const context = { ...request, agent: agent?.slice(0, MAX_AGENT_LENGTH) ?? null, statements: 0 }
  return requestContexts.run(context, answer)
}

/** Returns the fields of a request's log line besides its message: caller, address, and use of the database. */
export function requestLogFields(here: RequestContext | undefined): object {
  if (!here) return {}
  const { callerId: caller, customerId: customer, session, address, statements } = here
  return { caller, customer, session, address, statements }
}

/** Returns the context of the current request; undefined in a job or a command. */
export function requestContext(): RequestContext | undefined {
  return requestContexts.getStore()
}

/**
 * Records the caller in the request's context. `session` is the digest of its id, of which history keeps the beginning.
 */
export function noteCaller(caller: { id: string; customerId: string; session?: string | undefined }): void {
  const here = requestContexts.getStore()
  if (!here) return
  here.callerId = caller.id
  here.customerId = caller.customerId
  here.session = caller.session?.slice(0, 12)
}

/** Records that a page failed: its shell may have left already, with status 200. */
export function noteFailure(): void {
  const here = requestContexts.getStore()
  if (here) here.isFailed = true
}

/** Counts a statement sent by the current request. */
export function countQuery(): void {
  const here = requestContexts.getStore()
  if (here) here.statements += 1
}
