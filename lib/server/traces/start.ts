import { type DiagLogger, DiagLogLevel, diag, trace } from '@opentelemetry/api'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import { NAME, VERSION } from '#lib/platform/runtime/version.ts'
import type { Handler } from '../http-handler.ts'
import { innerSpans, requestSpans, type Trace } from './spans.ts'

export type Traces = {
  trace: Trace
  /** Adds a span to each page and each response like one. */
  ofPages(inside: Handler): Handler
  /** Sends the remaining spans, and ends. Never throws, because the collector may be unavailable. */
  stop(): Promise<void>
}

/** Starts tracing this process. The library itself reads address, sampling and service name from the environment. */
export function startTraces(): Traces {
  diag.setLogger(toLog(), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  const resource = resourceFromAttributes({ 'service.name': NAME, 'service.version': VERSION })
  const sdk = new NodeSDK({
    // The environment's service attributes take precedence.
    resource: defaultResource().merge(resource),
    // Metrics go to Prometheus, and the log to standard output.
    metricReaders: [],
    logRecordProcessors: [],
  })
  sdk.start()
  const tracer = trace.getTracerProvider().getTracer(NAME, VERSION)
  // Hidden from Next, whose spans would contain addresses with search texts.
  trace.disable()
  innerSpans(tracer)
  const stop = () =>
    sdk.shutdown().catch((error: unknown) => log().warn({ reason: messageIn(reasonOf(error)) }, 'traces'))
  const spanned = requestSpans(tracer)
  const ofPages: Traces['ofPages'] = (inside) => (req, res) => {
    // A prerendered page has no client request, and no connection that could close.
    if (req.headers['request-id'] === undefined) return inside(req, res)
    return spanned(req, res, { path: req.url?.split('?', 1)[0] ?? '' }, () => inside(req, res))
  }
  return { trace: spanned, ofPages, stop }
}

/** Returns a logger for the library's diagnostics: an unavailable collector, for example. */
function toLog(): DiagLogger {
  const warn = (message: string) => log().warn({ reason: messageIn(message).slice(0, 300) }, 'traces')
  const ignore = () => {}
  return { error: warn, warn, info: ignore, debug: ignore, verbose: ignore }
}

/** Returns the message of an error, which arrives as JSON with its stack. */
function messageIn(text: string): string {
  try {
    return String(JSON.parse(text).message)
  } catch {
    return text
  }
}
