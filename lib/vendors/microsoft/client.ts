import 'server-only'
import { randomUUID } from 'node:crypto'
import { type Exchange, exchange } from '../exchange.ts'
import { type Credentials, tokenSource } from './token.ts'

export type Call = {
  method?: 'GET' | 'PATCH'
  /** Makes the call idempotent there: a repeat after a lost answer gets the first one's answer. */
  requestId?: string
  headers?: Record<string, string>
  body?: string
}

/** `correlationId` is what the vendor's support asks for. */
export type Reply = { correlationId: string } & (
  | Extract<Exchange, { kind: 'answer' | 'cut' }>
  | (Extract<Exchange, { kind: 'unsent' }> & { retryAfter?: number | undefined })
)

export type Client = { call(path: string, signal: AbortSignal, call?: Call): Promise<Reply> }

/** Calls Partner Center, each once: a throttled vendor counts repeats against the caller. */
export function client(url: string, credentials: Credentials): Client {
  const tokens = tokenSource(credentials)
  return {
    async call(path, signal, { method = 'GET', requestId, headers, body } = {}) {
      const correlationId = randomUUID()
      const token = await tokens.token(signal)
      if (token.kind === 'none') return { ...token, kind: 'unsent', correlationId }
      const sent = {
        Authorization: `Bearer ${token.value}`,
        Accept: 'application/json',
        'MS-Contract-Version': 'v1',
        'MS-RequestId': requestId ?? randomUUID(),
        'MS-CorrelationId': correlationId,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      }
      const reply = await exchange(`${url}${path}`, { method, headers: sent, body: body ?? null }, signal)
      if (reply.kind !== 'answer') return { ...reply, correlationId }
      if (reply.status === 401) tokens.drop(token.value)
      // A refusal's words go to people and into logs, whatever it repeats of what it was sent.
      const text = reply.status < 300 ? reply.text : hide(reply.text, [token.value, credentials.clientSecret])
      return { ...reply, text, correlationId }
    },
  }
}

export function subscriptionPath(customerId: string, subscriptionId: string): string {
  return `${customerPath(customerId)}/subscriptions/${segment(subscriptionId)}`
}

export function customerPath(customerId: string): string {
  return `/v1/customers/${segment(customerId)}`
}

/** An id as one step of a path. Dots alone would climb, and nothing would shorten it: no id is like that. */
function segment(id: string): string {
  return encodeURIComponent(id.toWellFormed()).replace(/^\.*$/, '-')
}

function hide(text: string, secrets: string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
}
