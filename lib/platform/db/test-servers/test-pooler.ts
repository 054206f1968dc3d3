import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { parseIntoClientConfig } from 'pg-connection-string'

/** Terminate message of a client. */
const TERMINATE = Buffer.from([0x58, 0, 0, 0, 4])
/** Start of the server's BackendKeyData message: length 12, unless PostgreSQL 18 is asked for longer keys. */
const KEY = Buffer.from([0x4b, 0, 0, 0, 12])

/**
 * Starts a proxy that acts like a pooler: reports a process id of its own to each client, and keeps the connection to
 * the server when a client leaves.
 * @param direct address of the server
 */
export async function startPooler(direct: string): Promise<{ url: string; stop(): void }> {
  const { host, port } = parseIntoClientConfig(direct)
  const sockets: Socket[] = []
  const server = createServer((client) => {
    const there = host?.startsWith('/')
      ? connect(`${host}/.s.PGSQL.${port ?? 5432}`)
      : connect(Number(port ?? 5432), host ?? 'localhost')
    sockets.push(there)
    client.on('data', (chunk: Buffer) => {
      const isLast = chunk.subarray(-TERMINATE.length).equals(TERMINATE)
      there.write(isLast ? chunk.subarray(0, -TERMINATE.length) : chunk)
      if (isLast) client.end()
    })
    there.on('data', (chunk: Buffer) => {
      const at = chunk.indexOf(KEY)
      if (at >= 0) chunk.writeInt32BE(1, at + KEY.length)
      client.write(chunk)
    })
    for (const socket of [client, there]) socket.on('error', () => {})
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(direct)
  url.searchParams.delete('host')
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const stop = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { url: url.href, stop }
}
