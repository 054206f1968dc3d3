import type { Login } from '../logins.ts'

/** How long a login waits for a lock, and how long one of its statements may take, in milliseconds. */
export type Limits = { lock: number; statement: number }

/** A read waits for a lock on a whole table only: soon refused, it keeps no connection from the others. */
const READ: Limits = { lock: 250, statement: 3000 }

// Bounds, each inside the next: lock 1 s < waiting for a connection 2 s < statement 3 s < its answer 7 s < request 20 s.
// A read that a replica fails is read again from our own server: both together, 18 s at most, are inside of a request.
const LIMITS: Record<Login, Limits> = {
  console_app: { lock: 1000, statement: 3000 },
  console_reads: READ,
  console_streams: READ,
  console_keys: READ,
  console_sessions: READ,
  console_sign_in: READ,
  // The job queue works under it, too, which removes many rows at once and takes turns by locks.
  console_jobs: { lock: 5000, statement: 10_000 },
}

/** No limit of a login is longer, in milliseconds: it is what a request has. */
export const LONGEST = 20_000

export function limitsOf(login: Login): Limits {
  return LIMITS[login]
}

/**
 * What the server keeps with the login (`ALTER ROLE … SET`), and gives to each connection of it, whichever pooler opens
 * it: limits that are sent when a connection is made don't come past one. Each transaction names its own once more
 * (lib/platform/db/connections/opening.ts); statements outside of one, and the job queue, have these alone.
 */
export function settingsOf(login: Login): Record<string, string> {
  const { lock, statement } = LIMITS[login]
  return {
    lock_timeout: String(lock),
    statement_timeout: String(statement),
    idle_in_transaction_session_timeout: String(LONGEST),
    timezone: 'UTC',
  }
}
