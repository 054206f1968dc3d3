import { type Logger, pino } from 'pino'
import { env } from './env.ts'

const slot = globalThis as typeof globalThis & { licensesInvoicesLog?: Logger }

/** The process's log: JSON, one line per request, on standard output. Never a key, password or body. */
export function log(): Logger {
  slot.licensesInvoicesLog ??= pino({ level: env().logLevel, base: null })
  return slot.licensesInvoicesLog
}
