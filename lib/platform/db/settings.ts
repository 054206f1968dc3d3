import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'
import { seconds, secret, text } from '#lib/platform/runtime/settings.ts'

/** A server that follows ours. */
export type ReplicaConfig = {
  url: string
  /** How old its rows may be, in milliseconds. */
  mostBehind: number
}

export type DatabaseConfig = {
  /** Of its server and its owner; undefined: an embedded one under DATA_DIR. */
  url: string | undefined
  /** The same database past any pooler, for what only the owner does; undefined: `url` leads there itself. */
  direct: string | undefined
  /** What the passwords of its logins are made of; undefined: one that is made once. */
  secret: string | undefined
  /** Whether a process that starts makes the logins and migrates, as the owner. */
  migratesAtStart: boolean
  /** Undefined where all reads go to the one server. */
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
