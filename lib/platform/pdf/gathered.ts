import type { Readable } from 'node:stream'

/** So many pieces are joined to one, as soon as they are there. */
const MANY = 1000

/**
 * All that a stream says, once it has ended. A document says it in a hundred thousand pieces of a few bytes, each of which
 * would take ten times as much memory as what it holds: they are joined while they come.
 */
export function gathered(stream: Readable): Promise<Uint8Array> {
  const joined: Uint8Array[] = []
  let pieces: Uint8Array[] = []
  const join = () => {
    joined.push(Buffer.concat(pieces))
    pieces = []
  }
  return new Promise((resolve, reject) => {
    stream
      .on('data', (piece: Uint8Array) => {
        if (pieces.push(piece) === MANY) join()
      })
      .on('end', () => {
        join()
        resolve(Buffer.concat(joined))
      })
      .on('error', reject)
  })
}
