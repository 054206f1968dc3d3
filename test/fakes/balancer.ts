import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

type Backend = { url: string; isReady: boolean; served: number; agent: Agent }

/** Milliseconds between two health checks. */
const INTERVAL = 100

/**
 * Starts a simple round-robin load balancer on a free port of this machine: it polls `/healthz` of each server,
 * forwards requests in turn to the servers whose last response was 200, on keep-alive connections, and retries nothing.
 * A failure on the way to a server is a 502, and 503 means that there is no healthy server.
 */
export async function startBalancer() {
  const backends = new Map<string, Backend>()
  const closing = new AbortController()
  let next = 0

  const watch = async (backend: Backend) => {
    while (backends.get(backend.url) === backend) {
      backend.isReady = await fetch(`${backend.url}/healthz`).then(
        ({ status }) => status === 200,
        () => false,
      )
      await sleep(INTERVAL, undefined, { signal: closing.signal }).catch(() => {})
    }
  }
  const pass = (req: IncomingMessage, res: ServerResponse) => {
    const ready = [...backends.values()].filter(({ isReady }) => isReady)
    const backend = ready[next++ % ready.length]
    if (!backend) return end(res, 503, 'no server takes requests')
    const { connection: _, ...headers } = req.headers
    const { url, agent } = backend
    const passed = request(url + req.url, { agent, method: req.method, headers }, (answer) => {
      backend.served += 1
      const { connection: __, 'keep-alive': ___, ...rest } = answer.headers
      res.writeHead(answer.statusCode ?? 502, rest)
      answer.on('error', () => res.destroy()).pipe(res)
    })
    passed.on('error', (error) => end(res, 502, `${url}: ${error.message}`))
    req.pipe(passed)
  }

  const server = createServer(pass)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Adds a server that listens, or will: it gets requests once its health check succeeds. */
    add(url: string): void {
      const backend = { url, isReady: false, served: 0, agent: new Agent({ keepAlive: true }) }
      backends.set(url, backend)
      watch(backend)
    },
    remove(url: string): void {
      backends.get(url)?.agent.destroy()
      backends.delete(url)
    },
    /** Addresses of the healthy servers. */
    readyUrls: () => [...backends.values()].filter(({ isReady }) => isReady).map(({ url }) => url),
    /** Number of requests that a server has begun to answer since it was added. */
    served: (url: string) => backends.get(url)?.served ?? 0,
    async close(): Promise<void> {
      for (const { url } of backends.values()) this.remove(url)
      closing.abort()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function end(res: ServerResponse, status: number, text: string): void {
  if (res.headersSent) res.destroy()
  else res.writeHead(status, { 'Content-Type': 'text/plain' }).end(`${text}\n`)
}
