import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'
import { seconds, secret, text } from '#lib/platform/runtime/settings.ts'

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
