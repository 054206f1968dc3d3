import type { IncomingMessage, ServerResponse } from 'node:http'

/** For how long a client that was answered early may read the answer before its connection is cut. */
const LINGER_MS = 1000

/** Whether the head of a request announces a body. */
export function carriesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/**
 * Sees to the rest of a body whose reader stopped half-way, as the API does at its limit. Node reads no further
 * then, and the connection's next request would wait behind the rest for ever: so the connection ends, but only
 * when the client had time to take the answer. A body that nobody began to read is Node's to throw away.
 */
export function closeUnread(req: IncomingMessage, res: ServerResponse): void {
  if (!carriesBody(req)) return
  const { socket } = req
  res.once('finish', () => {
    if (!req.destroyed || req.complete) return
    socket.end()
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  })
}
