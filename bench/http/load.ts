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
  /** Returns the request to send in place of this one, another one each time. */
  next?: () => RequestTemplate
  /** Whether the request carries the ETag of the answer before the measurement, so that the server answers 304. */
  isConditional?: boolean
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
  const requests = await Promise.all(templates.map(async (one) => requestOf(one, await etagOf(url, one))))
  const setupClient = (client: autocannon.Client) => {
    const requestIndex = next++
    const share = requests.filter(
      (_, index) => index % connections === requestIndex % Math.min(templates.length, connections),
    )
    client.setRequests(share)
  }
  const began = performance.now()
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const end = (error: unknown, result: autocannon.Result) => (error ? reject(error) : resolve(result))
    const run = autocannon({ url, connections, duration: seconds, setupClient }, end)
    // The library's own percentiles are rounded to whole milliseconds.
    run.on('response', (_client, _status, _bytes, ms) => times.push(ms))
  })
  const { non2xx, errors, timeouts } = result
  const notModified = templates.some(({ isConditional }) => isConditional) ? result['3xx'] : 0
  return paceOf(times, (performance.now() - began) / 1000, non2xx - notModified + errors + timeouts)
}

async function etagOf(
  url: string,
  { path, key, isConditional }: RequestTemplate,
): Promise<string | undefined> {
  if (!isConditional) return undefined
  const { headers } = await fetch(new URL(path, url), { headers: { authorization: `Bearer ${key}` } })
  return headers.get('etag') ?? undefined
}

function requestOf(template: RequestTemplate, etag?: string): autocannon.Request {
  const { path, key, cookie, quantity, next } = template
  if (next)
    return {
      setupRequest: (request) => {
        const template = next()
        return { ...request, ...requestOf(template), ...bodyOf(template) }
      },
    }
  const headers = {
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(cookie === undefined ? {} : { cookie }),
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
  }
  if (!quantity) return { method: 'GET', path, headers }
  return {
    method: 'PATCH',
    path,
    headers: { ...headers, 'content-type': 'application/json' },
    setupRequest: (request) => ({ ...request, ...bodyOf(template) }),
  }
}

function bodyOf({ quantity }: RequestTemplate): { body?: string } {
  return quantity ? { body: JSON.stringify({ quantity: quantity() }) } : {}
}
