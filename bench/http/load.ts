import autocannon from 'autocannon'
import { type Pace, paceOf } from './throughput.ts'

/** Request that a connection sends in a loop. */
export type RequestTemplate = {
  path: string
  key?: string
  /** Session cookie of a member, in place of a key. */
  cookie?: string
  /** Quantity of a license change; the body differs each time. */
  quantity?: () => number
}

/**
 * Sends requests to a server on so many connections in parallel, each of which waits for its response before it sends
 * the next request.
 * @param templates shared out among the connections; several connections share one if there are fewer
 * @param seconds of the measurement, after one second of warm-up
 */
export async function load(
  url: string,
  templates: readonly RequestTemplate[],
  connections: number,
  seconds: number,
): Promise<Pace> {
  const before = await shoot(url, templates, connections, 1)
  const pace = await shoot(url, templates, connections, seconds)
  return { ...pace, requests: before.requests + pace.requests }
}

async function shoot(
  url: string,
  templates: readonly RequestTemplate[],
  connections: number,
  seconds: number,
): Promise<Pace> {
  const times: number[] = []
  let next = 0
  const setupClient = (client: autocannon.Client) => {
    const requestIndex = next++
    const share = templates.filter(
      (_, index) => index % connections === requestIndex % Math.min(templates.length, connections),
    )
    client.setRequests(share.map(requestOf))
  }
  const began = performance.now()
  const { non2xx, errors, timeouts } = await new Promise<autocannon.Result>((resolve, reject) => {
    const end = (error: unknown, result: autocannon.Result) => (error ? reject(error) : resolve(result))
    const run = autocannon({ url, connections, duration: seconds, setupClient }, end)
    // The library's own percentiles are rounded to whole milliseconds.
    run.on('response', (_client, _status, _bytes, ms) => times.push(ms))
  })
  return paceOf(times, (performance.now() - began) / 1000, non2xx + errors + timeouts)
}

function requestOf({ path, key, cookie, quantity }: RequestTemplate): autocannon.Request {
  const headers = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(cookie === undefined ? {} : { cookie }),
  }
  if (!quantity) return { method: 'GET', path, headers }
  return {
    method: 'PATCH',
    path,
    headers: { ...headers, 'content-type': 'application/json' },
    setupRequest: (request) => ({ ...request, body: JSON.stringify({ quantity: quantity() }) }),
  }
}
