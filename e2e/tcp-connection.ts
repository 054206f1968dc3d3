import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

type RequestOptions = { method?: string; headers?: Record<string, string>; body?: string }
type Answer = { status: number; headers: IncomingHttpHeaders; body: string }

/** Keep-alive connection: its requests, one after the other, go to the same process. */
export type Connection = {
  /** Sends a request once, with the stored cookies. Rejects where the connection breaks. */
  request(path: string, options?: RequestOptions): Promise<Answer>
  /** Returns the stored cookies as a header. */
  cookie(): string
  close(): void
}

/** Opens a connection to a server with its first request, and again after the server has closed it with an answer. */
export function openConnection(url: string): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const cookies = new Map<string, string>()
  const cookie = () => [...cookies].map((pair) => pair.join('=')).join('; ')
  return {
    async request(path, { method = 'GET', headers = {}, body } = {}) {
      const sent = { ...headers, ...(cookies.size > 0 ? { cookie: cookie() } : {}) }
      const clientRequest = request(url + path, { agent, method, headers: sent })
      const answered = Promise.withResolvers<IncomingMessage>()
      clientRequest.on('response', answered.resolve).on('error', answered.reject).end(body)
      const answer = await answered.promise
      for (const set of answer.headers['set-cookie'] ?? []) {
        const [, name, value] = /^([^=]*)=([^;]*)/.exec(set) ?? []
        if (name !== undefined && value !== undefined) cookies.set(name, value)
      }
      return { status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) }
    },
    cookie,
    close: () => agent.destroy(),
  }
}
