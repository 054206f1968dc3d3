import 'server-only'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'
import { secret, text } from '#lib/platform/runtime/settings.ts'

export type HistoryConfig = {
  /**
   * Folder for signed heads: that of the setting, or in DATA_DIR where all processes sign with one key. Undefined: heads
   * are only logged.
   */
  headsDir: string | undefined
  /** Secret from which the signing key is derived; undefined: the one in DATA_DIR. */
  secret: string | undefined
  /** Months that are kept in addition to the current one. */
  months: number
}

/** Settings of the history: output of signed heads, and retention. */
export const historySettings = defineSettings(
  z
    .object({
      AUDIT_HEADS_DIR: text.optional(),
      AUDIT_SECRET: secret.optional(),
      AUDIT_MONTHS: z.coerce.number().int().min(2).max(1200).default(13),
      DATABASE_URL: z.string().optional(),
      DATA_DIR: text.default('.data'),
    })
    .transform((values, context): HistoryConfig => {
      const { AUDIT_HEADS_DIR, AUDIT_SECRET, AUDIT_MONTHS, DATABASE_URL, DATA_DIR } = values
      const hasOneKey = DATABASE_URL === undefined || AUDIT_SECRET !== undefined
      const folder = AUDIT_HEADS_DIR ?? (hasOneKey ? join(DATA_DIR, 'audit-heads') : undefined)
      if (AUDIT_HEADS_DIR !== undefined && DATABASE_URL !== undefined && AUDIT_SECRET === undefined) {
        const message = 'is needed with AUDIT_HEADS_DIR and DATABASE_URL: all processes sign with one key'
        context.addIssue({ code: 'custom', path: ['AUDIT_SECRET'], message })
      }
      return {
        headsDir: folder && resolve(folder),
        secret: AUDIT_SECRET,
        months: AUDIT_MONTHS,
      }
    }),
)
