import autocannon from 'autocannon'
import { type Pace, paceOf } from './throughput.ts'

/** What a connection asks for, again and again. */
export type RequestTemplate = {
  path: string
  key?: string
  /** Of a signed-in member, in place of a key. */
  cookie?: string
  /** Of a change of licenses: the body is another one each time. */
  quantity?: () => number
}

/**
 * Asks a server from so many connections at once, each of which waits for its answer before it asks again.
 * @param templates shared out among the connections, or given to several where there are fewer
 * @param seconds how long; before, a second counts for nothing
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
    // The library's own percentiles are of whole milliseconds.
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
