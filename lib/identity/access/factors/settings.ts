import 'server-only'
import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'
import { secret } from '#lib/platform/runtime/settings.ts'

export const factorSettings = defineSettings(
  z
    .object({
      FACTOR_SECRET: secret.optional(),
    })
    .transform(({ FACTOR_SECRET }) => ({ secret: FACTOR_SECRET })),
)
