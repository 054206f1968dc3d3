import { AsyncLocalStorage } from 'node:async_hooks'
import { type Channel, channel } from 'node:diagnostics_channel'
import { type DestinationStream, type Logger, pino } from 'pino'
import { env } from './env.ts'

const logSlot = globalThis as typeof globalThis & { licensesInvoicesLog?: Logger }

/** The process's log: JSON, one line per request, on standard output. Never a key, password or body. */
export function log(): Logger {
  logSlot.licensesInvoicesLog ??= newLog()
  return logSlot.licensesInvoicesLog
}

/** From now on each line of this process's log has these fields, such as which worker it is. */
export function logAs(fields: Record<string, unknown>): void {
  logSlot.licensesInvoicesLog = log().child(fields)
}

/** From now on the log goes to standard error: for commands whose standard output is their result. */
export function logToStderr(): void {
  logSlot.licensesInvoicesLog = newLog(pino.destination(2))
}

/** @param to standard output, unless told */
export function newLog(to?: DestinationStream): Logger {
  return pino({ level: env().logLevel, base: null, serializers: { err: withQueryText } }, to)
}

/** lib/platform/db keeps the text of a statement that failed apart from its values: it may stand here. */
function withQueryText(error: Error): object {
  const fields = pino.stdSerializers.err(error)
  return error instanceof Error && 'statement' in error ? { ...fields, statement: error.statement } : fields
}

/**
 * Why something failed, in one plain sentence for people: of a statement, what the database said; of a host with
 * several addresses, what the first one said.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof AggregateError && error.message === '') return reasonOf(error.errors[0])
  if ('statement' in error && error.cause) return reasonOf(error.cause)
  return error.message || error.name
}

/**
 * Writes down why a request failed on our side, with its stack. While the database is away every request fails for
 * the same reason, and writing each stack would take the time that its return needs: a line is enough then.
 */
export function logFailure({ status }: { status: number }, error: unknown, requestId: string): void {
  // The cause says why; the error around it would repeat the statement.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (status === 500) log().error({ requestId, err: error }, 'request failed')
  else if (status > 500)
    log().warn({ requestId, reason: reasonOf(cause).slice(0, 300) }, 'request not answered')
}

/** What kind of transaction it is: see lib/platform/db/scope.ts. */
type Scope = 'read' | 'at once' | 'write' | 'stream'

/** What is measured, and what is told of each time. Times in seconds. */
export type Measured = {
  /** A request that has ended; `route` is its contract's path, or what kind of thing was asked for. */
  request: { route: string; method: string; status: number; seconds: number }
  /** A call to a vendor: the status of its answer, or `unsent`, `cut`. */
  vendorCall: { host: string; method: string; outcome: string; seconds: number }
  /**
   * A customer's transaction, the wait for a connection with it, and how many statements its work has sent: `thrown`
   * where the work, or its end, threw.
   */
  transaction: { scope: Scope; statements: number; outcome: 'done' | 'thrown'; seconds: number }
  /** A request that was refused because a limit was used up: which one. */
  limit: { limit: string }
  signIn: { outcome: 'opened' | 'failed' | 'throttled' }
  job: { job: string; outcome: 'done' | 'failed'; seconds: number }
  mail: { outcome: string }
}

// By name: a page and a route handler have separate copies of this module in a production build.
const channels = new Map<string, Channel>()

function channelOf(name: keyof Measured): Channel {
  const existing = channels.get(name) ?? channel(`licenses-invoices.${name}`)
  channels.set(name, existing)
  return existing
}

/** Tells whoever listens, which is nobody where neither METRICS_PORT nor traces are set up. */
export function measured<Name extends keyof Measured>(name: Name, what: Measured[Name]): void {
  const to = channelOf(name)
  if (to.hasSubscribers) to.publish(what)
}

/** Hears all that is measured in this process under a name. */
export function onMeasured<Name extends keyof Measured>(
  name: Name,
  hear: (what: Measured[Name]) => void,
): void {
  channelOf(name).subscribe((what) => hear(what as Measured[Name]))
}

/** Measures a transaction from now until its end; undefined where nobody listens. */
export function measuredTransaction(scope: Scope) {
  if (!channelOf('transaction').hasSubscribers) return undefined
  const started = performance.now()
  const end = (outcome: 'done' | 'thrown', statements: number) =>
    measured('transaction', { scope, statements, outcome, seconds: secondsSince(started) })
  return { end }
}

/** Seconds since a moment that `performance.now()` gave. */
export function secondsSince(started: number): number {
  return (performance.now() - started) / 1000
}

/** The request that is being answered, as the log and the history tell of it. */
export type RequestContext = {
  requestId: string
  /** Of the client, as the front door saw it. */
  address: string
  /** What the client calls itself, cut. */
  agent: string | null
  /** Whoever it turned out to be: the id of a key or a member, and the beginning of the session's digest. */
  callerId?: string
  customerId?: string
  session?: string | undefined
  /** How many statements it has sent to the database, but for those that begin and end transactions. */
  statements: number
  /** Whether something failed after the answer's status had left. */
  isFailed?: boolean
}

/** Browsers say some 120 characters of themselves. */
const MAX_AGENT_LENGTH = 300

// A page and a route handler get separate copies of this module in a production build.
const slot = globalThis as typeof globalThis & {
  licensesInvoicesRequestContext?: AsyncLocalStorage<RequestContext>
}
slot.licensesInvoicesRequestContext ??= new AsyncLocalStorage()
const requestContexts = slot.licensesInvoicesRequestContext

/** Answers a request, so that whatever is recorded on the way knows of it. */
export function runWithRequestContext<T>(
  { requestId, address, agent }: { requestId: string; address: string; agent: string | undefined },
  answer: () => T,
): T {
  return requestContexts.run(
    { requestId, address, agent: agent?.slice(0, MAX_AGENT_LENGTH) ?? null, statements: 0 },
    answer,
  )
}

/** What a line of the log says of it besides its name: who asked, from where, and for how much of the database. */
export function requestLogFields(here: RequestContext | undefined): object {
  if (!here) return {}
  const { callerId: caller, customerId: customer, session, address, statements } = here
  return { caller, customer, session, address, statements }
}

/** The request that is being answered; none in a job or a command. */
export function requestContext(): RequestContext | undefined {
  return requestContexts.getStore()
}

/** Notes who is there. `session` is the digest of its id, of which the history keeps the beginning. */
export function noteCaller(caller: { id: string; customerId: string; session?: string | undefined }): void {
  const here = requestContexts.getStore()
  if (!here) return
  here.callerId = caller.id
  here.customerId = caller.customerId
  here.session = caller.session?.slice(0, 12)
}

/** Notes that a page failed: its frame may have left already, with a status that says all is well. */
export function noteFailure(): void {
  const here = requestContexts.getStore()
  if (here) here.isFailed = true
}

/** Counts a statement that the request sends to the database. */
export function countQuery(): void {
  const here = requestContexts.getStore()
  if (here) here.statements += 1
}
