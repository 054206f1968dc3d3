import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'
import { text } from '#lib/platform/runtime/settings.ts'

const EXPORTERS = ['otlp', 'console', 'none']

/** Exporters in OTEL_TRACES_EXPORTER, separated by commas. */
const exporters = text
  .transform((names) => names.split(',').map((name) => name.trim()))
  .refine((names) => names.every((name) => EXPORTERS.includes(name)), `must be of ${EXPORTERS.join(', ')}`)

/**
 * Whether requests are traced. OpenTelemetry itself reads these variables and others; this setting only finds out
 * whether traces are enabled.
 */
export const traceSettings = defineSettings(
  z
    .object({
      OTEL_EXPORTER_OTLP_ENDPOINT: text.optional(),
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: text.optional(),
      OTEL_TRACES_EXPORTER: exporters.optional(),
      OTEL_SDK_DISABLED: text.optional(),
    })
    .transform(({ OTEL_TRACES_EXPORTER: to, OTEL_SDK_DISABLED: disabled, ...endpoints }): boolean => {
      if (disabled?.toLowerCase() === 'true' || to?.includes('none')) return false
      return to !== undefined || Object.values(endpoints).some((endpoint) => endpoint !== undefined)
    }),
)
