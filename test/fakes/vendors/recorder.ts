import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * Starts a TCP proxy in front of a fake that records requests byte by byte: an HTTP server would record only its parsed
 * form.
 */
export async function startRecorder(url: string) {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let sent = ''
  const server = createServer((client) => {
    const vendor = connect(Number(port), hostname)
    for (const socket of [client, vendor]) {
      sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)))
    }
    client.on('data', (chunk) => {
      sent += chunk.toString('latin1')
    })
    // A connection that the fake resets is reset here, too.
    vendor.on('error', () => client.destroy())
    client.pipe(vendor).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Returns the head of each request with this method, in order. */
    requests: (method: string) =>
      [...sent.matchAll(new RegExp(`${method} /\\S* HTTP/1\\.1\\r\\n.*?(?=\\r\\n\\r\\n)`, 'gs'))].map(
        ([request]) => request,
      ),
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
