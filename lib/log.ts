import { type Logger, pino } from 'pino'
import { env } from './env.ts'

const slot = globalThis as typeof globalThis & { licensesInvoicesLog?: Logger }

/** The process's log: JSON, one line per request, on standard output. Never a key, password or body. */
export function log(): Logger {
  slot.licensesInvoicesLog ??= pino({ level: env().logLevel, base: null })
  return slot.licensesInvoicesLog
}

/** From now on the log goes to standard error: for commands whose standard output is their result. */
export function logToStderr(): void {
  slot.licensesInvoicesLog = pino({ level: env().logLevel, base: null }, pino.destination(2))
}

/**
 * Writes down why a request failed on our side, with its stack. While the database is away every request fails for
 * the same reason, and writing each stack would take the time that its return needs: a line is enough then.
 */
export function logFailure({ status }: { status: number }, error: unknown, requestId: string): void {
  // What caused it: the error itself would repeat the statement and its values.
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (status === 500) log().error({ requestId, err: error }, 'request failed')
  else if (status > 500)
    log().warn({ requestId, reason: String(cause).slice(0, 300) }, 'request not answered')
}
