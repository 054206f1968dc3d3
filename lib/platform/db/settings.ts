import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'
import { seconds, secret, text } from '#lib/platform/runtime/settings.ts'
import type { Login } from './logins.ts'

/** Replica of the primary. */
export type ReplicaConfig = {
  url: string
  /** Largest lag of its rows, in milliseconds. */
  mostBehind: number
}

export type DatabaseConfig = {
  /** URL of the server and its owner; undefined for an embedded server under DATA_DIR. */
  url: string | undefined
  /** URL past any pooler, for the owner's work; undefined if `url` is direct itself. */
  direct: string | undefined
  /** Secret from which the logins' passwords are derived; undefined for a generated one. */
  secret: string | undefined
  /** Whether a starting process creates the logins and migrates, as the owner. */
  migratesAtStart: boolean
  /** Undefined if all reads use the primary. */
  replica: ReplicaConfig | undefined
}

export const databaseSettings = defineSettings(
  z
    .object({
      DATABASE_URL: text.optional(),
      DATABASE_DIRECT_URL: text.optional(),
      DATABASE_SECRET: secret.optional(),
      MIGRATE_AT_START: z.enum(['0', '1']).default('1'),
      DATABASE_READ_URL: text.optional(),
      DATABASE_READ_SECONDS: seconds.max(60).default(1),
    })
    .transform(
      ({ DATABASE_URL, DATABASE_READ_URL, DATABASE_DIRECT_URL, ...rest }, context): DatabaseConfig => {
        for (const [name, url] of Object.entries({ DATABASE_READ_URL, DATABASE_DIRECT_URL }))
          if (url && !DATABASE_URL)
            context.addIssue({ code: 'custom', path: [name], message: 'needs a DATABASE_URL' })
        const url = DATABASE_READ_URL
        return {
          url: DATABASE_URL,
          direct: DATABASE_DIRECT_URL,
          secret: rest.DATABASE_SECRET,
          migratesAtStart: rest.MIGRATE_AT_START === '1',
          replica: url ? { url, mostBehind: rest.DATABASE_READ_SECONDS * 1000 } : undefined,
        }
      },
    ),
)

/** Lock timeout and statement timeout of a login, in milliseconds. */
type Limits = { lock: number; query: number }

/** A read waits only for locks on whole tables: refused soon, it does not keep its connection from others. */
const READ: Limits = { lock: 250, query: 3000 }

// Nested time limits: lock 1 s < wait for a connection 2 s < statement 3 s < its answer 7 s < request 20 s. A read that
// fails on a replica is repeated on the primary: 18 s at most for both, within the time of a request.
export const LIMITS: Record<Login, Limits> = {
  console_app: { lock: 1000, query: 3000 },
  console_reads: READ,
  console_streams: READ,
  console_keys: READ,
  console_sessions: READ,
  console_sign_in: READ,
  // Also used by the job queue, which deletes many rows in one statement and takes turns by locks.
  console_jobs: { lock: 5000, query: 10_000 },
}

/** Upper bound of all limits, in milliseconds: the time of a request. */
export const MAX_TRANSACTION_MS = 20_000

/**
 * Time in milliseconds after which a read gives up on a frozen server, which does not end its own statements. Writes
 * wait longer, because they may have been executed, and so do loads of much data.
 */
export const ANSWER_LIMIT = 7000

/** Longest wait for a semaphore or a connection, in milliseconds. */
export const MAX_WAIT_MS = 2000
