import type { IncomingMessage, ServerResponse } from 'node:http'

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
