import { type DiagLogger, DiagLogLevel, diag, trace } from '@opentelemetry/api'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import packageJson from '../../../package.json' with { type: 'json' }
import type { Handler } from '../http-handler.ts'
import { innerSpans, requestSpans, type Trace } from './spans.ts'

export type Traces = {
  trace: Trace
  /** Makes a span of each page, too, and of what else is answered like one. */
  ofPages(inside: Handler): Handler
  /** Sends what is left, and ends. Never throws: whoever takes traces may be gone. */
  stop(): Promise<void>
}

/**
 * Traces what this process does from now on. Where to, how much and under which name, the library reads itself from the
 * environment.
 */
export function startTraces(): Traces {
  const { name, version } = packageJson
  diag.setLogger(toLog(), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  const resource = resourceFromAttributes({ 'service.name': name, 'service.version': version })
  const sdk = new NodeSDK({
    // What the environment says of the service outranks it.
    resource: defaultResource().merge(resource),
    // Figures are for Prometheus, and the log is on standard output.
    metricReaders: [],
    logRecordProcessors: [],
  })
  sdk.start()
  const tracer = trace.getTracerProvider().getTracer(name, version)
  // Next would find it, too: its spans have addresses with all that somebody searched for.
  trace.disable()
  innerSpans(tracer)
  const stop = () =>
    sdk.shutdown().catch((error: unknown) => log().warn({ reason: messageIn(reasonOf(error)) }, 'traces'))
  const spanned = requestSpans(tracer)
  const ofPages: Traces['ofPages'] = (inside) => (req, res) => {
    // A page that is prepared for strangers is nobody's request, and on no connection that could close.
    if (req.headers['request-id'] === undefined) return inside(req, res)
    return spanned(req, res, { path: req.url?.split('?', 1)[0] ?? '' }, () => inside(req, res))
  }
  return { trace: spanned, ofPages, stop }
}

/** What the library has to say: that nobody takes the traces, for instance. */
function toLog(): DiagLogger {
  const warn = (message: string) => log().warn({ reason: messageIn(message).slice(0, 300) }, 'traces')
  const ignore = () => {}
  return { error: warn, warn, info: ignore, debug: ignore, verbose: ignore }
}

/** An error comes as JSON, with its stack. */
function messageIn(text: string): string {
  try {
    return String(JSON.parse(text).message)
  } catch {
    return text
  }
}
