import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Ending } from './faults.ts'
import type { Answer } from './routes.ts'

const MAX_BODY_BYTES = 1024 * 1024

/** Returns the whole body of a request, as text. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw new Error('The request is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Resolves when the client has its whole response, or has disconnected. */
export function disconnected(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) resolve()
    else response.once('close', resolve)
  })
}

/** Sends a response, unless the client has disconnected. */
export async function send(response: ServerResponse, { status, headers, body }: Answer): Promise<void> {
  if (response.destroyed) return
  const over = disconnected(response)
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', ...headers })
  response.end(typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body))
  await over
}

/** Answers, cuts the connection, or waits until the client has disconnected. */
export async function conclude(response: ServerResponse, ending: Ending<Answer>): Promise<void> {
  if (typeof ending === 'object') await send(response, ending)
  else if (ending === 'hang') await disconnected(response)
  else response.socket?.resetAndDestroy()
}
