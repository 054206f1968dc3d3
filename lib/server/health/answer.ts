import type { IncomingMessage, ServerResponse } from 'node:http'

import { PRODUCT } from '#lib/platform/runtime/version.ts'

// Imports nothing of the project that imports more: the health thread loads it, too.

/** Missing requirement of requests. */
export type Missing = 'database' | 'migrations'

/** State that a process reports to its health thread. */
export type HealthState = {
  isDraining?: boolean
  missing?: Missing | undefined
  replica?: string | undefined
}

/** Answers a health check: 200 `ok`, or 503 and the reason in a word. */
export function sendHealth(res: ServerResponse, problem?: string, ofReplica?: string): void {
  const text = problem ?? (ofReplica ? `ok, replica ${ofReplica}` : 'ok')
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }
  res.writeHead(problem ? 503 : 200, { ...headers, 'Content-Length': text.length }).end(text)
}

/** Answers that the process lives, with its version in the header Server. */
export function sendLife(res: ServerResponse): void {
  res.setHeader('Server', PRODUCT)
  sendHealth(res)
}

/**
 * Answers the three addresses of `healthCheck` from a reported state, and 404 elsewhere.
 * @param state undefined where the process has not reported for too long (`stalled`)
 */
export function sendReported({ url = '' }: IncomingMessage, res: ServerResponse, state?: HealthState): void {
  const path = url.split('?')[0]
  if (path !== '/livez' && path !== '/healthz' && path !== '/readyz') res.writeHead(404).end()
  else if (!state) sendHealth(res, 'stalled')
  else if (path === '/livez') sendLife(res)
  else if (state.isDraining) sendHealth(res, 'draining')
  else if (path === '/healthz') sendHealth(res)
  else sendHealth(res, state.missing, state.replica)
}
