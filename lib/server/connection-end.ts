import type { IncomingMessage, ServerResponse } from 'node:http'

/** Time for a client with an early response to read it before its connection is cut. */
const LINGER_MS = 1000

/** Returns whether the headers of a request announce a body. */
export function carriesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/**
 * Closes the connection of a request whose body was read only partly, as the API does at its size limit. Node reads no
 * further then, and the connection's next request would wait forever behind the rest, so the connection ends after the
 * client had time to read the response. Node itself discards a body that was not read at all.
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
 * Resets an HTTP/1.0 connection whose response is aborted. HTTP/1.0, which some load balancers speak with their
 * backends, marks the end of a response without a length only by the end of the connection, so an aborted response
 * would look complete. With HTTP/1.1 the missing last chunk shows the abort.
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
