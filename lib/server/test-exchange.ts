import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Part = string | RegExp | (() => unknown)

export type Answer = { status: number; headers: Record<string, string>; body: string }

/**
 * Sends raw bytes to a local port, because HTTP clients would normalize them.
 * @param parts data to send; a pattern waits for a matching response, a function for its promise
 * @returns the responses until the server closes the connection, within a minute, and whether it did
 */
export async function exchange(port: number, parts: Part[]) {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    text += chunk
  })
  // Some tests expect the server to cut the connection; they check the responses.
  socket.on('error', () => {})
  const closed = new Promise<boolean>((resolve) => socket.once('close', () => resolve(true)))
  for (const part of parts) {
    if (typeof part === 'function') await part()
    else if (part instanceof RegExp)
      // Fixed wait: interval of a poll.
      while (!part.test(text) && !socket.destroyed) await sleep(5)
    else if (!socket.destroyed) socket.write(part, 'latin1')
  }
  // Fixed wait: a time limit that no passing test reaches.
  const wasClosed = await Promise.race([closed, sleep(60_000, false, { ref: false })])
  socket.destroy()
  return { answers: answersIn(text), wasClosed }
}

/** Parses responses with a Content-Length; the last one may extend to the end. */
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
