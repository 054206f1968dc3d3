import { type DestinationStream, type Logger, pino } from 'pino'
import { env } from './env.ts'

const slot = globalThis as typeof globalThis & { licensesInvoicesLog?: Logger }

/** The process's log: JSON, one line per request, on standard output. Never a key, password or body. */
export function log(): Logger {
  slot.licensesInvoicesLog ??= newLog()
  return slot.licensesInvoicesLog
}

/** From now on each line of this process's log has these fields, such as which worker it is. */
export function logAs(fields: Record<string, unknown>): void {
  slot.licensesInvoicesLog = log().child(fields)
}

/** From now on the log goes to standard error: for commands whose standard output is their result. */
export function logToStderr(): void {
  slot.licensesInvoicesLog = newLog(pino.destination(2))
}

/** @param to standard output, unless told */
export function newLog(to?: DestinationStream): Logger {
  return pino({ level: env().logLevel, base: null, serializers: { err: withStatement } }, to)
}

/** lib/platform/db keeps the text of a statement that failed apart from its values: it may stand here. */
function withStatement(error: Error): object {
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
