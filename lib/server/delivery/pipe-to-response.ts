import type { ServerResponse } from 'node:http'
import type { Outgoing } from '#lib/platform/files/stream.ts'

/**
 * Reads the next chunk only after the former was sent (backpressure). Cuts the connection on failure, as with a client
 * that is too slow.
 */
export async function pipeToResponse(body: Outgoing, res: ServerResponse): Promise<void> {
  // Cuts immediately, without waiting for the chunk that the client is slow to read.
  void body.ended.then(({ cut }) => cut && res.destroy())
  for (let part = await body.next(); !part.done; part = await body.next()) {
    if (res.destroyed) return body.return()
    if (!res.write(part.value)) await drained(res)
  }
  res.end()
}

function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('drain', done).off('close', done)
      resolve()
    }
    res.on('drain', done).on('close', done)
  })
}
