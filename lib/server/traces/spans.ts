import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Attributes,
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { onMeasured } from '#lib/platform/runtime/log.ts'

/**
 * Answers a request within a span, the parent of all spans until the response. `path` is the request's own, without
 * query; `route` is its contract's, absent for unknown paths.
 */
export type Trace = (
  req: IncomingMessage,
  res: ServerResponse,
  target: { path: string; route?: string | undefined },
  answer: () => Promise<void> | void,
) => Promise<void>

/**
 * Returns a function that opens a span for each request, until its response was sent, with the names of OpenTelemetry's
 * conventions.
 */
export function requestSpans(tracer: Tracer): Trace {
  return async (req, res, { path, route }, answer) => {
    const { method = 'GET', headers } = req
    const parent = propagation.extract(ROOT_CONTEXT, headers)
    const attributes: Attributes = {
      'http.request.method': method,
      'url.path': path,
      'url.scheme': String(headers['x-forwarded-proto'] ?? 'http'),
      'console.request_id': String(headers['request-id']),
      ...(route === undefined ? {} : { 'http.route': route }),
    }
    const name = route === undefined ? method : `${method} ${route}`
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent)
    res.once('close', () => {
      span.setAttribute('http.response.status_code', res.statusCode)
      if (res.statusCode >= 500) fail(String(res.statusCode), span)
      span.end()
    })
    await context.with(trace.setSpan(parent, span), answer)
  }
}

/**
 * Adds spans of existing measurements below the span of their request. Measurements outside of a request, as in a job,
 * have no span: they are metrics.
 */
export function innerSpans(tracer: Tracer): void {
  const add = (name: string, attributes: Attributes, seconds: number, error?: string) => {
    if (!trace.getActiveSpan()) return
    const ended = Date.now()
    const span = tracer.startSpan(name, {
      kind: SpanKind.CLIENT,
      attributes,
      startTime: ended - seconds * 1000,
    })
    if (error !== undefined) fail(error, span)
    span.end(ended)
  }
  onMeasured('transaction', ({ scope, statements, outcome, seconds }) => {
    const attributes = {
      'db.system.name': 'postgresql',
      'console.scope': scope,
      'console.statements': statements,
      'console.outcome': outcome,
    }
    add(`transaction ${scope}`, attributes, seconds)
  })
  onMeasured('vendorCall', ({ host, method, outcome, seconds }) => {
    const { hostname, port } = new URL(`https://${host}`)
    const status = Number(outcome)
    const attributes = {
      'http.request.method': method,
      'server.address': hostname,
      'server.port': Number(port || 443),
      ...(Number.isNaN(status) ? {} : { 'http.response.status_code': status }),
    }
    add(method, attributes, seconds, status < 400 ? undefined : outcome)
  })
}

function fail(type: string, span: ReturnType<Tracer['startSpan']>): void {
  span.setAttribute('error.type', type)
  span.setStatus({ code: SpanStatusCode.ERROR })
}
