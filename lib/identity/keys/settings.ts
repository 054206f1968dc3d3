import 'server-only'
import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'
import { type KeyLimits, MOST_DAYS } from './rules.ts'

/** How long API keys may be valid. */
export const keySettings = defineSettings(
  z
    .object({
      KEY_DAYS: z.coerce.number().int().min(1).max(MOST_DAYS).default(365),
      KEYS_WITHOUT_END: z.enum(['0', '1']).default('0'),
    })
    .transform(
      (given): KeyLimits => ({ mostDays: given.KEY_DAYS, withoutEnd: given.KEYS_WITHOUT_END === '1' }),
    ),
)
