import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FrontDoor, frontDoor } from './front-door.ts'
import { httpServer } from './http-server.ts'

type Seen = { method: string | undefined; url: string | undefined; headers: IncomingHttpHeaders }

/** A front door on a free port. Behind it: an application that answers `inside` and remembers what it saw. */
export async function openDoor(options: Partial<FrontDoor> = {}) {
  const seen: Seen[] = []
  const door = frontDoor({
    hosts: ['console.example'],
    trustProxy: false,
    https: false,
    checkRouterState: () => {},
    health: (_, res) => void res.end('healthy'),
    inside: (req, res) => {
      seen.push({ method: req.method, url: req.url, headers: { ...req.headers } })
      res.end('inside')
    },
    ...options,
  })
  const server = httpServer(door)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return {
    server,
    port,
    seen,
    close,
    /** Sends bytes as they are; the answers, however many there are, and whether the connection was closed. */
    send: (...parts: (string | number)[]) => exchange(port, parts),
    /** Sends one request on a connection of its own. */
    ask: (line: string, headers: string[] = ['Host: console.example'], body = '') =>
      exchange(port, [
        `${line} HTTP/1.1\r\n${[...headers, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`,
      ]),
  }
}

export type Answer = { status: number; headers: Record<string, string>; body: string }

/** Writes each part, waiting at each number for so many milliseconds; ends when the server closes, or after 10 s. */
async function exchange(port: number, parts: (string | number)[]) {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    text += chunk
  })
  // A server that cuts the connection is what some tests want; they look at the answers.
  socket.on('error', () => {})
  const closed = new Promise<boolean>((resolve) => socket.once('close', () => resolve(true)))
  for (const part of parts) {
    if (typeof part === 'number') await sleep(part)
    else if (!socket.destroyed) socket.write(part, 'latin1')
  }
  const wasClosed = await Promise.race([closed, sleep(10_000, false, { ref: false })])
  socket.destroy()
  return { answers: answersIn(text), wasClosed }
}

/** Of answers with a Content-Length, or the last one until the end. */
function answersIn(text: string): Answer[] {
  const cut = text.indexOf('\r\n\r\n')
  if (cut < 0) return []
  const [line = '', ...lines] = text.slice(0, cut).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((header) => [
      header.slice(0, header.indexOf(':')).toLowerCase(),
      header.slice(header.indexOf(':') + 2),
    ]),
  )
  const status = Number(line.split(' ')[1])
  const length = status < 200 ? 0 : Number(headers['content-length'] ?? text.length)
  const body = text.slice(cut + 4, cut + 4 + length)
  return [{ status, headers, body }, ...answersIn(text.slice(cut + 4 + length))]
}
