import { Readable } from 'node:stream'
import { Client } from 'pg'
import { ownerOf } from '../../logins.ts'

// PostgreSQL's own backup of a running server, in the tar format: with its log, so that it needs no archive.
const COMMAND =
  "BASE_BACKUP (LABEL 'licenses-invoices', CHECKPOINT 'fast', WAL true, MANIFEST 'no', PROGRESS false)"

/** What begins a message of the stream (PostgreSQL 15 and newer); others tell of progress. */
const NEW_ARCHIVE = 'n'.charCodeAt(0)
const DATA = 'd'.charCodeAt(0)

/**
 * The server's files as they were at one moment, read while it goes on: a tar archive with its end.
 * @param url of the server, as a role that may replicate
 * @throws Error (from the stream) where the server refuses or ends, or has tablespaces
 */
export async function baseBackup(url: string): Promise<Readable> {
  const client = new Client({ ...ownerOf(url), ...{ replication: 'true' } })
  await client.connect()
  const socket = (client as unknown as { connection: { stream: { pause(): void; resume(): void } } })
    .connection.stream
  let archives = 0
  const archive = new Readable({
    read: () => socket.resume(),
    destroy(error, done) {
      client.end().then(
        () => done(error),
        () => done(error),
      )
      socket.resume()
    },
  })
  const fail = (error: Error) => void archive.destroy(error)
  client.on('error', fail)
  client.on('end', () => archive.readableEnded || fail(new Error('The server ended before the backup did.')))
  const take = (chunk: Buffer) => {
    if (chunk[0] === NEW_ARCHIVE && ++archives > 1) fail(new Error('The server has tablespaces.'))
    // The bytes are those of a buffer that the next message is read into.
    if (chunk[0] === DATA && !archive.push(Buffer.from(chunk.subarray(1)))) socket.pause()
  }
  client.query(copying(take, fail, () => archive.push(null)) as unknown as Parameters<Client['query']>[0])
  return archive
}

/** What pg asks of a query that it is to send by itself. */
function copying(take: (chunk: Buffer) => void, fail: (error: Error) => void, end: () => void) {
  const ignore = () => {}
  return {
    submit: (connection: { query(text: string): void }) => connection.query(COMMAND),
    handleCopyData: ({ chunk }: { chunk: Buffer }) => take(chunk),
    handleError: fail,
    handleReadyForQuery: end,
    handleRowDescription: ignore,
    handleDataRow: ignore,
    handleCommandComplete: ignore,
  }
}
