import { afterEach, describe, expect, it, vi } from 'vitest'
import { traceSettings } from './settings.ts'

afterEach(() => vi.unstubAllEnvs())

describe('traces', () => {
  const NAMES = [
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    'OTEL_TRACES_EXPORTER',
    'OTEL_SDK_DISABLED',
  ]

  it.each<[Record<string, string>, boolean]>([
    [{}, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' }, true],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, true],
    [{ OTEL_TRACES_EXPORTER: 'console, otlp' }, true],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_TRACES_EXPORTER: 'none' }, false],
    [{ OTEL_TRACES_EXPORTER: 'otlp', OTEL_SDK_DISABLED: 'True' }, false],
  ])('are enabled by %j: %j', (environment, expected) => {
    for (const name of NAMES) vi.stubEnv(name, environment[name] ?? '')
    expect(traceSettings()).toBe(expected)
  })

  it('stop the start with an unknown exporter', () => {
    vi.stubEnv('OTEL_TRACES_EXPORTER', 'paper')
    expect(traceSettings.issues()).toEqual(['OTEL_TRACES_EXPORTER: must be of otlp, console, none'])
  })
})
