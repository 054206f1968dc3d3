import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'
import { port } from '#lib/platform/runtime/settings.ts'

/** Port of the health checks that a thread of their own answers; undefined: none. Port 0: chosen by the system. */
export const healthSettings = defineSettings(
  z
    .object({
      HEALTH_PORT: port.optional(),
    })
    .transform(({ HEALTH_PORT }): number | undefined => HEALTH_PORT),
)
