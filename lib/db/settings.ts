import { z } from 'zod'
import { secret, text } from '#lib/settings.ts'

export type DatabaseConfig = {
  /** Of its server and its owner; undefined: an embedded one under DATA_DIR. */
  url: string | undefined
  /** What the passwords of its logins are made of; undefined: one that is made once. */
  secret: string | undefined
  /** Whether a process that starts makes the logins and migrates, as the owner. */
  migratesAtStart: boolean
}

export const settings = z
  .object({
    DATABASE_URL: text.optional(),
    DATABASE_SECRET: secret.optional(),
    MIGRATE_AT_START: z.enum(['0', '1']).default('1'),
  })
  .transform(
    (given): DatabaseConfig => ({
      url: given.DATABASE_URL,
      secret: given.DATABASE_SECRET,
      migratesAtStart: given.MIGRATE_AT_START === '1',
    }),
  )
