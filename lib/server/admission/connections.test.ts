import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { boundConnections } from './connections.ts'

test('the connections of an address are limited, and closed ones can be replaced', async () => {
  const server = createServer()
  boundConnections(server, 2)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const open = async (from: string) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from })
    socket.on('error', () => {})
    await once(socket, 'connect')
    return socket
  }
  const count = () => new Promise<number>((resolve) => server.getConnections((_, n) => resolve(n)))
  const first = await open('127.0.0.1')
  await open('127.0.0.1')
  await expect.poll(count).toBe(2)
  const third = await open('127.0.0.1')
  await once(third, 'close')
  const other = await open('127.0.0.2')
  await expect.poll(count).toBe(3)
  first.destroy()
  await expect.poll(count).toBe(2)
  const again = await open('127.0.0.1')
  await expect.poll(count).toBe(3)
  expect([other.destroyed, again.destroyed]).toEqual([false, false])
  for (const socket of [other, again]) socket.destroy()
  server.close()
})
