import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { newApiKey } from '#lib/platform/caller/credentials.ts'
import { CALLS } from './anonymous-calls.ts'

export const KINDS = ['pages', 'unknown keys', 'dearest calls', 'slow readers', 'slow senders'] as const
export type Kind = (typeof KINDS)[number]

/** Target URL, source address and key of one connection, and the pause between two requests. */
export type Line = { url: string; from: string; key: string; pauseMs: number; until: number }

/** Count of each outcome: a status, or how the connection ended. */
export type Tally = Record<string, number>

type Sent = { path: string; key?: string; headers?: Record<string, string>; method?: string; body?: string }
type RequestFor = (nth: number) => Sent

/** Pages that anonymous clients request, and a customer's request that takes the service longest. */
const PAGES = ['/sign-in', '/nowhere', '/invoices', '/sign-in?from=/assets', '/assets/x']
const EXPENSIVE_PATHS = [
  'invoices?search=IN-0000123',
  'invoices.csv?lines=true',
  'statement',
  'invoices?maxResults=250',
]

type Attack = (line: Line, tally: Tally) => Promise<void>

/** Behavior of one connection of each kind until its time is over. */
const ATTACKS: Record<Kind, Attack> = {
  pages: (line, tally) => sendInLoop(line, tally, (nth) => ({ path: PAGES[nth % PAGES.length] ?? '/' })),
  'unknown keys': (line, tally) =>
    sendInLoop(line, tally, () => ({ path: '/billing/v1/invoices', key: newApiKey() })),
  'dearest calls': (line, tally) =>
    sendInLoop(line, tally, (nth) => ({
      path: `/billing/v1/${EXPENSIVE_PATHS[nth % EXPENSIVE_PATHS.length]}`,
      key: line.key,
    })),
  'slow readers': (line, tally) =>
    dripping(line, tally, rawRequest(line, '/billing/v1/invoices.csv?lines=true'), ''),
  'slow senders': (line, tally) =>
    dripping(
      line,
      tally,
      rawRequest(line, '/billing/v1/assets/workspace-suite-0', 'PATCH').slice(0, -2),
      'X-Slow: 1\r\n',
    ),
}

/** Returns the attack of a kind, or the one that repeats a call that needs no caller, by its name. */
export function attackOf(name: string): Attack {
  const call = CALLS[name]
  if (!call) return ATTACKS[name as Kind]
  const { path, headers = {}, body } = call
  return (line, tally) =>
    sendInLoop(line, tally, () => ({
      path,
      headers,
      ...(body ? { method: 'POST', body: body() } : {}),
    }))
}

function rawRequest({ key }: Line, path: string, method = 'GET'): string {
  const length = method === 'GET' ? '' : 'Content-Type: application/json\r\nContent-Length: 100\r\n'
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n${length}\r\n`
}

/** Sends one request after the other on a keep-alive connection, or on a new one if the server closed it. */
async function sendInLoop(
  { url, from, pauseMs, until }: Line,
  tally: Tally,
  requestFor: RequestFor,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress: from })
  for (let nth = 0; performance.now() < until; nth++) {
    const { path, key, headers: ofCall = {}, method = 'GET', body } = requestFor(nth)
    const headers = key === undefined ? ofCall : { authorization: `Bearer ${key}` }
    const status = await new Promise<string>((resolve) => {
      const sent = request(url + path, { agent, method, headers, timeout: 30_000 }, (res) => {
        res.on('end', () => resolve(String(res.statusCode)))
        res.on('error', () => resolve('cut'))
        res.resume()
      })
      sent.on('timeout', () => sent.destroy())
      sent.on('error', () => resolve('cut'))
      sent.end(body)
    })
    count(tally, status)
    await sleep(pauseMs)
  }
  agent.destroy()
}

/**
 * Sends the beginning of a request, then a little more each second, and reads nothing (Slowloris); starts again if the
 * server closed the connection.
 */
async function dripping(
  { url, from, until }: Line,
  tally: Tally,
  begin: string,
  more: string,
): Promise<void> {
  const { port, hostname } = new URL(url)
  while (performance.now() < until) {
    const socket = connect({ port: Number(port), host: hostname, localAddress: from })
    let isOpen = true
    socket.on('error', () => {})
    socket.on('close', () => {
      isOpen = false
    })
    // The socket is paused from the beginning: the response fills the buffers of both sides, and then waits.
    socket.pause()
    socket.write(begin.replace('Host: localhost', `Host: localhost:${port}`))
    count(tally, 'opened')
    while (isOpen && performance.now() < until) {
      await sleep(1000)
      if (more && isOpen) socket.write(more)
    }
    if (!isOpen) count(tally, 'ended')
    socket.destroy()
  }
}

function count(tally: Tally, what: string): void {
  tally[what] = (tally[what] ?? 0) + 1
}
