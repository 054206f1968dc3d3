import 'server-only'
import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'
import { currencyError } from '#lib/platform/values/currency-codes.ts'

/** A currency and an amount: `EUR 5`, `KWD 0.500`. */
const LIMIT = /^([A-Z]{3}) (\d{1,9}(?:\.\d{1,4})?)$/

/** Settings of payments: the largest amounts that are written off, by currency, as exact decimal text. */
export const paymentSettings = defineSettings(
  z
    .object({
      WRITE_OFF_LIMITS: z.string().optional(),
    })
    .transform(({ WRITE_OFF_LIMITS = '' }, context): { writeOffLimits: ReadonlyMap<string, string> } => {
      const parts = WRITE_OFF_LIMITS.split(',').map((part) => part.trim())
      const limits = parts.filter((part) => part !== '').map((part) => LIMIT.exec(part))
      if (limits.some((limit) => !limit?.[1] || currencyError(limit[1])))
        context.addIssue({
          code: 'custom',
          path: ['WRITE_OFF_LIMITS'],
          message: 'must be currencies with amounts, such as EUR 5, JPY 500',
        })
      return { writeOffLimits: new Map(limits.map((limit) => [limit?.[1] ?? '', limit?.[2] ?? '0'])) }
    }),
)
