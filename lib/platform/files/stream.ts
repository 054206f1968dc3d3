import 'server-only'

/** Chunks of a streaming operation's answer: bytes, or text that is sent as UTF-8, of any size. */
export type Pieces = AsyncIterable<string | Uint8Array>

/**
 * Body that is being sent. Chunks are to be read one after the other; `return` stops the work when the rest is not
 * needed.
 */
export type Outgoing = {
  next(): Promise<IteratorResult<Uint8Array, void>>
  return(): Promise<void>
  /** Bytes that are held until the end, of a body that was made before; undefined while it is made. */
  size?: number
  /** Settles once, never rejects: the number of bytes taken, and the reason for an early end. */
  ended: Promise<Sent>
}

/** `cut`: incomplete. `error`: for a reason other than the client's disconnection. */
export type Sent = { bytes: number; cut: boolean; error?: unknown }

/** Longest time of a stream in milliseconds, at any speed: the database keeps old row versions for as long. */
const MAX_SEND_MS = 600_000
/** Size of a chunk in bytes: rows are sent together. */
const CHUNK = 64 * 1024

/** Lowest throughput, longest time in milliseconds, and the `size` of `Outgoing`. */
type SendOptions = { minThroughput?: MinThroughput; time?: number; size?: number }

/**
 * Starts to send. The first chunk has been read already, so that a failure before it can still be answered as a
 * problem; a later failure makes `next` throw, and the caller has to cut the connection, so that no client takes a
 * partial file for a complete one. Work stops at the end, after a failure, and when the client has gone, is slower than
 * `slowest` or takes ten minutes.
 * @param disconnected aborted when the client has gone
 */
export async function startSending(
  pieces: Pieces,
  disconnected?: AbortSignal,
  { minThroughput = MIN_THROUGHPUT, time = MAX_SEND_MS, size }: SendOptions = {},
): Promise<Outgoing> {
  const chunks = inChunks(pieces)
  let first: IteratorResult<Uint8Array, void> | undefined = await chunks.next()
  const { promise: ended, resolve } = Promise.withResolvers<Sent>()
  let bytes = 0
  let sent: Sent | undefined
  let tired: NodeJS.Timeout | undefined
  const { took, left } = throughputTimer(minThroughput)
  /** Latest chunk that was passed to the client, and when. */
  let lastChunk = { bytes: 0, at: performance.now() }

  const end = async (how: Omit<Sent, 'bytes'>) => {
    if (sent) return
    sent = { bytes, ...how }
    clearTimeout(tired)
    clearTimeout(sendTimeout)
    disconnected?.removeEventListener('abort', leave)
    // At the end, callers may rely on the work having stopped.
    await chunks.return().catch(() => {})
    resolve(sent)
  }
  const leave = () => void end({ cut: true })
  const sendTimeout = setTimeout(leave, time).unref()
  const give = (size: number) => {
    lastChunk = { bytes: size, at: performance.now() }
    tired = setTimeout(leave, left()).unref()
  }
  disconnected?.addEventListener('abort', leave)
  if (disconnected?.aborted) leave()
  if (!sent) give(0)

  const next = async () => {
    clearTimeout(tired)
    took(lastChunk.bytes, performance.now() - lastChunk.at)
    if (sent?.cut) throw new Error('The rest of the answer was given up.')
    const result =
      first ??
      (await chunks.next().catch(async (error: unknown) => {
        await end({ cut: true, error })
        throw error
      }))
    first = undefined
    if (result.done) await end({ cut: false })
    else {
      bytes += result.value.length
      if (!sent) give(result.value.length)
    }
    return result
  }
  return { next, return: () => end({ cut: true }), ended, ...(size === undefined ? {} : { size }) }
}

/** Yields complete bytes in chunks, so that the client's throughput can be measured. */
export async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  for (let from = 0; from < bytes.length; from += CHUNK) yield bytes.subarray(from, from + CHUNK)
}

async function* inChunks(pieces: Pieces): AsyncGenerator<Uint8Array, void, undefined> {
  let parts: Uint8Array[] = []
  let size = 0
  for await (const piece of pieces) {
    const part = typeof piece === 'string' ? Buffer.from(piece) : piece
    parts.push(part)
    size += part.length
    if (size < CHUNK) continue
    yield parts.length === 1 ? part : Buffer.concat(parts)
    parts = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(parts)
}

/** Lowest throughput: `bytes` have to be taken in `within` milliseconds. */
export type MinThroughput = { bytes: number; within: number }

/**
 * Lowest throughput of a client: half a MiB in a minute and a half, about 6 kB/s. The system's socket buffers release
 * up to 1.5 MB in one step, for which a client at 20 kB/s needs 75 s.
 */
export const MIN_THROUGHPUT: MinThroughput = { bytes: 512 * 1024, within: 90_000 }

/**
 * Returns a timer for the time that is left to a client. Counts only the time spent waiting for the client, without the
 * server's own work.
 */
export function throughputTimer({ bytes, within }: MinThroughput) {
  let acceptedBytes = 0
  let waited = 0
  return {
    /**
     * Records time spent waiting for the client.
     * @param ms milliseconds until the client had taken `count` more bytes
     */
    took(count: number, ms: number): void {
      acceptedBytes += count
      waited += ms
      if (acceptedBytes < bytes) return
      acceptedBytes = 0
      waited = 0
    },
    /** Returns the milliseconds for which the client may still be waited for; 0: too slow. */
    left: () => Math.max(0, within - waited),
  }
}
