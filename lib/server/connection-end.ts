import type { IncomingMessage, ServerResponse } from 'node:http'

/** Longest time in which the rest of a rejected body is read and discarded, in milliseconds. */
const MAX_LINGER_MS = 5000

/** Returns whether the headers of a request announce a body. */
export function carriesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/**
 * Closes the connection of a request whose body was read only partly, as the API does at its size limit: ends its own
 * side after the response, then reads and discards the rest, for a limited time (lingering close). Closing a connection
 * with unread bytes resets it, and the reset can overtake the response. Node itself discards a body that was not read at
 * all.
 */
export function closeUnread(req: IncomingMessage, res: ServerResponse): void {
  if (!carriesBody(req)) return
  const { socket } = req
  res.once('finish', () => {
    if (req.complete || socket.destroyed || !req.readableDidRead) return
    const timer = setTimeout(() => socket.destroy(), MAX_LINGER_MS).unref()
    req.once('end', () => socket.destroy()).once('close', () => clearTimeout(timer))
    socket.end()
    req.resume()
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
