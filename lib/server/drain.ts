import type { Server } from 'node:http'
import { Server as SocketServer } from 'node:net'

/**
 * Adds `Connection: close` to each response, so that clients with kept connections return on new ones, and a client
 * with an endless sequence of requests does not delay the shutdown.
 */
export function closeAfterResponse(server: Server): void {
  server.prependListener('request', (_, res) => res.setHeader('Connection', 'close'))
}

/**
 * Stops accepting connections, because another process on the same port accepts them, and continues to answer on the
 * open ones: idle ones stay open, because their next request may be on the way.
 * @param limit milliseconds until the remaining ones are not awaited any longer
 */
export async function handOver(server: Server, limit: number): Promise<void> {
  const closed = Promise.withResolvers<void>()
  // The HTTP server's own close() would close idle connections immediately.
  SocketServer.prototype.close.call(server, () => closed.resolve())
  const timer = setTimeout(closed.resolve, limit)
  await closed.promise
  clearTimeout(timer)
}

/**
 * Stops accepting connections, closes idle ones, and lets running requests finish.
 * @param limit milliseconds until unfinished requests are cut
 * @returns whether all finished in time
 */
export async function drain(server: Server, limitMs: number): Promise<boolean> {
  let inTime = true
  closeAfterResponse(server)
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // Node closes connections that are idle now; others become idle as their requests end.
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  const cutOff = setTimeout(() => {
    inTime = false
    server.closeAllConnections()
  }, limitMs)
  await closed
  clearInterval(sweep)
  clearTimeout(cutOff)
  return inTime
}
