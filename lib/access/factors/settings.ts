import { z } from 'zod'
import { secret } from '#lib/settings.ts'

export const settings = z
  .object({
    FACTOR_SECRET: secret.optional(),
  })
  .transform(({ FACTOR_SECRET }) => ({ secret: FACTOR_SECRET }))
