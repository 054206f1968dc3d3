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

/**
 * HTTP/1.0, which some balancers speak with those behind them, knows the end of an answer without a length by the
 * end of the connection alone: one that breaks off would look whole. So it is reset there, which looks like what
 * it is. With HTTP/1.1 the last chunk is missing, and that is seen.
 */
export function breakOffVisibly(req: IncomingMessage, res: ServerResponse): void {
  if (req.httpVersion !== '1.0') return
  const { socket } = req
  const { destroy } = socket
  socket.destroy = (error?: Error) => {
    socket.destroy = destroy
    return res.writableFinished ? socket.destroy(error) : socket.resetAndDestroy()
  }
}
