import type { Server } from 'node:http'

/**
 * Takes no more connections, closes the idle ones, and lets running requests finish.
 * @param limit milliseconds after which what still runs is cut
 * @returns whether all finished in time
 */
export async function drain(server: Server, limit: number): Promise<boolean> {
  let inTime = true
  // Else a client that always has a next request ready would never be idle.
  server.prependListener('request', (_, res) => res.setHeader('Connection', 'close'))
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // Node closes those that are idle now; others become idle as their requests end.
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  const cut = setTimeout(() => {
    inTime = false
    server.closeAllConnections()
  }, limit)
  await closed
  clearInterval(sweep)
  clearTimeout(cut)
  return inTime
}
