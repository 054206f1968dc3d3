import type { Server } from 'node:net'
import { canonicalAddress, networkOf } from '#lib/platform/caller/limits/addresses.ts'

/** Limits the open connections per address, because each takes memory even when idle; further ones are cut. */
export function boundConnections(server: Server, most: number): void {
  const open = new Map<string, number>()
  server.on('connection', (socket) => {
    const network = networkOf(canonicalAddress(socket.remoteAddress ?? ''))
    const count = (open.get(network) ?? 0) + 1
    if (count > most) {
      socket.destroy()
      return
    }
    open.set(network, count)
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1
      if (left > 0) open.set(network, left)
      else open.delete(network)
    })
  })
}
