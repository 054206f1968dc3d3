import 'server-only'
import { resolve } from 'node:path'
import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'
import { secret, text } from '#lib/platform/runtime/settings.ts'

export type HistoryConfig = {
  /** The folder for signed heads; undefined: they go to the log alone. */
  headsDir: string | undefined
  /** What the signing key is made of; undefined: what stands in DATA_DIR. */
  secret: string | undefined
  /** How many months are kept beside the present one. */
  months: number
}

/** The history: where its signed heads are written, and how long it is kept. */
export const historySettings = defineSettings(
  z
    .object({
      AUDIT_HEADS_DIR: text.optional(),
      AUDIT_SECRET: secret.optional(),
      AUDIT_MONTHS: z.coerce.number().int().min(2).max(1200).default(13),
      DATABASE_URL: z.string().optional(),
    })
    .transform(({ AUDIT_HEADS_DIR, AUDIT_SECRET, AUDIT_MONTHS, DATABASE_URL }, context): HistoryConfig => {
      if (AUDIT_HEADS_DIR !== undefined && DATABASE_URL !== undefined && AUDIT_SECRET === undefined) {
        const message = 'is needed with AUDIT_HEADS_DIR and DATABASE_URL: all processes sign with one key'
        context.addIssue({ code: 'custom', path: ['AUDIT_SECRET'], message })
      }
      return {
        headsDir: AUDIT_HEADS_DIR && resolve(AUDIT_HEADS_DIR),
        secret: AUDIT_SECRET,
        months: AUDIT_MONTHS,
      }
    }),
)
