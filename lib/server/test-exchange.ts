import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Part = string | RegExp | (() => unknown)

export type Answer = { status: number; headers: Record<string, string>; body: string }

/**
 * Sends bytes to a port of this machine as they are: HTTP clients tidy up what the tests are about.
 * @param parts what to send; a pattern waits until it was answered, a function for what it promises
 * @returns the answers until the server closes the connection, a minute at most, and whether it did
 */
export async function exchange(port: number, parts: Part[]) {
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
    if (typeof part === 'function') await part()
    else if (part instanceof RegExp)
      // Fixed wait: between two looks.
      while (!part.test(text) && !socket.destroyed) await sleep(5)
    else if (!socket.destroyed) socket.write(part, 'latin1')
  }
  // Fixed wait: the limit, which no test that passes comes to.
  const wasClosed = await Promise.race([closed, sleep(60_000, false, { ref: false })])
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
