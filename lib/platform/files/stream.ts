import 'server-only'

/** What a streaming operation answers: bytes, or text that is sent as UTF-8, in pieces of any size. */
export type Pieces = AsyncIterable<string | Uint8Array>

/** A body on its way out. To be taken from in turn; `return` when nobody wants the rest. */
export type Outgoing = {
  next(): Promise<IteratorResult<Uint8Array, void>>
  return(): Promise<void>
  /** Settles once, never rejects: how much was taken, and why it ended early where it did. */
  ended: Promise<Sent>
}

/** `cut`: the end was not reached. `error`: because of us, not because the client had gone. */
export type Sent = { bytes: number; cut: boolean; error?: unknown }

/** However quickly the client takes it, in milliseconds: the database remembers old rows for as long. */
const MAX_SEND_MS = 600_000
/** In bytes: rows are sent together. */
const CHUNK = 64 * 1024

export function isPieces(body: unknown): body is Pieces {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}

/**
 * Starts to send. The first chunk is read already, so that what fails before it can still be answered as a problem;
 * whatever fails later makes `next` throw, and its caller has to cut the connection, so that no client takes half
 * of a file for the whole. Work stops at the end, after a failure, and when the client is gone, is slower than
 * `slowest` or takes ten minutes.
 * @param disconnected aborted when the client has gone
 */
export async function startSending(
  pieces: Pieces,
  disconnected?: AbortSignal,
  { minThroughput = MIN_THROUGHPUT, time = MAX_SEND_MS } = {},
): Promise<Outgoing> {
  const chunks = inChunks(pieces)
  let first: IteratorResult<Uint8Array, void> | undefined = await chunks.next()
  const { promise: ended, resolve } = Promise.withResolvers<Sent>()
  let bytes = 0
  let sent: Sent | undefined
  let tired: NodeJS.Timeout | undefined
  const { took, left } = throughputTimer(minThroughput)
  /** What is with the client, and since when. */
  let lastChunk = { bytes: 0, at: performance.now() }

  const end = async (how: Omit<Sent, 'bytes'>) => {
    if (sent) return
    sent = { bytes, ...how }
    clearTimeout(tired)
    clearTimeout(sendTimeout)
    disconnected?.removeEventListener('abort', leave)
    // Whoever hears of the end may rely on the work having stopped.
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
  return { next, return: () => end({ cut: true }), ended }
}

/** Bytes that are there already as pieces, so that it is seen how quickly they are taken. */
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

/** So many bytes, each time, may keep us waiting for so many milliseconds. */
export type MinThroughput = { bytes: number; within: number }

/**
 * The slowest that a client may take an answer: half a MiB in a minute and a half, about 6 kB a second. The system's own
 * buffers let go of up to 1.5 MB at once, which somebody who takes 20 kB a second needs 75 s for.
 */
export const MIN_THROUGHPUT: MinThroughput = { bytes: 512 * 1024, within: 90_000 }

/** How much patience is left with a client. Only the time counts in which we wait for it, and not what we need ourselves. */
export function throughputTimer({ bytes, within }: MinThroughput) {
  let acceptedBytes = 0
  let waited = 0
  return {
    /** @param ms for how long we waited until `count` bytes more were taken */
    took(count: number, ms: number): void {
      acceptedBytes += count
      waited += ms
      if (acceptedBytes < bytes) return
      acceptedBytes = 0
      waited = 0
    },
    /** Milliseconds for which more may still be waited; it is too slow where there is none left. */
    left: () => Math.max(0, within - waited),
  }
}
