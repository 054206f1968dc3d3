import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { inPieces, type Sent, startSending } from '#lib/platform/files/stream.ts'
import { httpServer } from '../http-server.ts'
import { pipeToResponse } from './pipe-to-response.ts'

/** By the test's clock. Long enough that system buffers of any size move within it. */
const MIN_THROUGHPUT = { bytes: 512 * 1024, within: 600_000 }
const TIME = 1e9

// The clock advances only by the test; sockets have a clock of their own.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** Requests a number of bytes without reading any. @returns the outcome of the sending, once it has ended */
async function requestBytes(size: number) {
  const sent = Promise.withResolvers<Sent>()
  let end: Sent | undefined
  sent.promise.then((sent) => {
    end = sent
  })
  const server = httpServer(async (_, res) => {
    const body = await startSending(inPieces(Buffer.alloc(size, 'a')), undefined, {
      minThroughput: MIN_THROUGHPUT,
      time: TIME,
    })
    body.ended.then(sent.resolve)
    res.writeHead(200, { 'Content-Length': size })
    await pipeToResponse(body, res).catch(() => res.destroy())
  }, new Map())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => {})
  client.pause()
  client.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  const close = async () => {
    client.destroy()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  const connections = promisify(server.getConnections.bind(server))
  return { client, end: () => end, connections, close }
}

/** Reads received bytes, up to `most`; waits where none have arrived. */
async function readBytes(client: Socket, most: number): Promise<number> {
  for (;;) {
    const bytes = client.read(Math.min(most, client.readableLength)) as Buffer | null
    if (bytes && bytes.length > 0) return bytes.length
    if (client.readableEnded || client.destroyed) return 0
    await nextTurn()
  }
}

describe('a response of 32 MB', () => {
  const SIZE = 32 * 1024 * 1024

  test('is cut for a client that reads one byte a second', async () => {
    const { client, end, connections, close } = await requestBytes(SIZE)
    let seconds = 0
    for (; !end(); seconds++) {
      await readBytes(client, 1)
      vi.advanceTimersByTime(1000)
      await nextTurn()
    }
    expect(end()).toMatchObject({ cut: true })
    expect(end()?.bytes).toBeLessThan(SIZE)
    expect(seconds).toBeLessThan(MIN_THROUGHPUT.within / 1000 + 100)
    // The connection is cut immediately, without waiting for the chunk that the client is slow to read.
    while ((await connections()) > 0) await nextTurn()
    await close()
  })

  test('arrives completely for a client that reads 20 kB a second', async () => {
    const { client, end, close } = await requestBytes(SIZE)
    let readCount = 0
    for (let got = 1; got > 0 && readCount < SIZE; readCount += got) {
      got = await readBytes(client, 20_000)
      vi.advanceTimersByTime((1000 * got) / 20_000)
    }
    expect(readCount).toBeGreaterThanOrEqual(SIZE)
    await vi.waitUntil(() => end(), { timeout: 60_000 })
    expect(end()).toEqual({ bytes: SIZE, cut: false })
    await close()
  })
})
