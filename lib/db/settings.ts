import { resolve } from 'node:path'
import { z } from 'zod'
import { seconds, text } from '#lib/settings.ts'

/** A server that follows ours. */
export type ReplicaConfig = {
  url: string
  /** How old its rows may be, in milliseconds. */
  mostBehind: number
}

export type DataConfig = {
  /** Absolute folder of the embedded database and the session secret. */
  dataDir: string
  /** Undefined for the embedded database. */
  databaseUrl: string | undefined
  /** Undefined where all reads go to the one server. */
  replica: ReplicaConfig | undefined
}

export const settings = z
  .object({
    DATA_DIR: text.default('.data'),
    DATABASE_URL: text.optional(),
    DATABASE_READ_URL: text.optional(),
    DATABASE_READ_SECONDS: seconds.max(60).default(1),
  })
  .transform(({ DATA_DIR, DATABASE_URL, DATABASE_READ_URL: url, ...given }, context): DataConfig => {
    if (url && !DATABASE_URL)
      context.addIssue({ code: 'custom', path: ['DATABASE_READ_URL'], message: 'needs a DATABASE_URL' })
    return {
      dataDir: resolve(DATA_DIR),
      databaseUrl: DATABASE_URL,
      replica: url ? { url, mostBehind: given.DATABASE_READ_SECONDS * 1000 } : undefined,
    }
  })
