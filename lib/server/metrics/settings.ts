import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'
import { port, text } from '#lib/platform/runtime/settings.ts'

/** Address of `/metrics`; port 0: chosen by the system. */
export type MetricsConfig = { host: string; port: number }

export const metricsSettings = defineSettings(
  z
    .object({
      METRICS_PORT: port.optional(),
      METRICS_HOST: text.default('127.0.0.1'),
    })
    .transform(({ METRICS_PORT, METRICS_HOST }): MetricsConfig | undefined =>
      METRICS_PORT === undefined ? undefined : { host: METRICS_HOST, port: METRICS_PORT },
    ),
)
