import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * Opens a proxy for a PostgreSQL server that can block some statements, so that a test can act in the meantime.
 * @param url of the server, which listens on a socket in a folder
 */
export async function openBlockingProxy(url: string) {
  const through = new URL(url)
  const path = `${through.searchParams.get('host')}/.s.PGSQL.${through.port}`
  const sockets = new Set<Socket>()
  let [blockedText, open] = ['', Promise.withResolvers<'sent' | 'lost'>()]
  const server = createServer((client) => {
    const database = connect(path)
    for (const socket of [client, database])
      sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)))
    database.pipe(client)
    client.on('data', async (chunk) => {
      client.pause()
      if (blockedText && chunk.includes(blockedText) && (await open.promise) === 'lost')
        return void client.destroy()
      database.write(chunk)
      client.resume()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  through.searchParams.delete('host')
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: through.href,
    /** Blocks each message with this text from now on, and the rest of its connection behind it. */
    hold(text: string) {
      ;[blockedText, open] = [text, Promise.withResolvers<'sent' | 'lost'>()]
    },
    release() {
      blockedText = ''
      open.resolve('sent')
    },
    /** Drops the blocked messages, and breaks their connections. */
    lose() {
      blockedText = ''
      open.resolve('lost')
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
