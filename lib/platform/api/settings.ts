import 'server-only'
import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'

/** Size of the cache in bytes; 0: no answer is cached. */
export const cacheSettings = defineSettings(
  z
    .object({
      ANSWER_CACHE_MB: z.coerce.number().int().min(0).max(4096).default(32),
    })
    .transform(({ ANSWER_CACHE_MB }) => ({ bytes: ANSWER_CACHE_MB * 1024 * 1024 })),
)
