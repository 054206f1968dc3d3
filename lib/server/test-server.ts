import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type HttpHandlerOptions, httpHandler } from './http-handler.ts'
import { httpServer } from './http-server.ts'
import { securityHeaders } from './security-headers.ts'
import { exchange, type Part } from './test-exchange.ts'

type Seen = { method: string | undefined; url: string | undefined; headers: IncomingHttpHeaders }

/**
 * Opens an HTTP server on a free port, in front of an application that answers with `inside` and records its requests.
 */
export async function openTestServer(options: Partial<HttpHandlerOptions> = {}) {
  const seen: Seen[] = []
  const see = (req: IncomingMessage, res: ServerResponse) => {
    seen.push({ method: req.method, url: req.url, headers: { ...req.headers } })
    res.end('inside')
  }
  const always = options.always ?? securityHeaders(false)
  const handler = httpHandler({
    hosts: ['console.example'],
    trustProxy: false,
    https: false,
    always,
    checkRouterState: () => {},
    health: (_, res) => void res.end('healthy'),
    admission: async () => ({ isMember: false }),
    pages: async (req, res) => (options.inside ?? see)(req, res),
    api: async (req, res) => (options.inside ?? see)(req, res),
    inside: (req, res) => see(req, res),
    ...options,
  })
  const server = httpServer(handler, always)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return {
    server,
    port,
    seen,
    close,
    /** Sends raw bytes; returns all responses, and whether the connection was closed. */
    send: (...parts: Part[]) => exchange(port, parts),
    /** Sends one request on a separate connection. */
    request: (line: string, headers: string[] = ['Host: console.example'], body = '') =>
      exchange(port, [
        `${line} HTTP/1.1\r\n${[...headers, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`,
      ]),
  }
}
