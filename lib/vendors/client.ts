import 'server-only'
import type { ClientRequest, IncomingMessage } from 'node:http'
import http from 'node:http'
import https from 'node:https'
import { pipeline, type Readable } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { createGunzip } from 'node:zlib'
import { measured, secondsSince } from '#lib/platform/runtime/log.ts'
import { PRODUCT } from '#lib/platform/runtime/version.ts'
import type { Budget } from './budgets.ts'
import type { Wait, Why } from './vendor.ts'

// HTTP client that all vendors share; client.ts in a vendor's folder adds address and headers.

export type Call = {
  /** Path with query, relative to the vendor's API. */
  path: string
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT'
  headers?: Record<string, string>
  /** Body as JSON. */
  body?: string
  /** Idempotency key of the call, for vendors that support one. */
  requestId?: string
  /** Whether a job makes the call, so that the budget's reserve stays for people. */
  isBackground?: boolean
}

export type Reply = (
  | Extract<Exchange, { kind: 'answer' | 'cut' }>
  | (Extract<Exchange, { kind: 'unsent' }> & Wait)
) & {
  /** Whether the vendor throttles the account, or the budget had no call: other calls have to wait, too. */
  isThrottled?: boolean
  /** Id for the vendor's support, if the vendor has one. */
  correlationId?: string | undefined
}

export type Answer = Extract<Reply, { kind: 'answer' }>

/**
 * Sends each call once, and repeats a call only if its token was refused. Every call takes a token from the account's
 * budget. Never throws.
 */
export type Client = { call(call: Call, signal: AbortSignal): Promise<Reply> }

/** Returns the client for calls of jobs. */
export function inBackground({ call }: Client): Client {
  return { call: (request, signal) => call({ ...request, isBackground: true }, signal) }
}

export type Token = { kind: 'token'; value: string } | ({ kind: 'none'; reason: string } & Wait)

export type Tokens = {
  /**
   * Returns a token, or the reason why there is none. Concurrent callers share one request: an abort ends only this
   * wait.
   */
  token(signal: AbortSignal): Promise<Token>
  /** Drops a token that the vendor refuses. */
  drop(value: string): void
}

type Access = {
  url: string
  tokens: Tokens
  budget: Budget
  headers: Record<string, string>
  secrets?: string[]
  /** Returns whether the answer's body reports throttling where the status alone does not. */
  isThrottled?: (answer: Answer) => boolean
}

/**
 * Age in milliseconds at which a call is not sent any more, for a process that was suspended: the decision is old, and
 * other processes may have taken over. The process's own timers may not have fired yet.
 */
const RETRY_DEADLINE_MS = 20_000

/**
 * Sends a call with a token. After a 401, which means that nothing was done, renews the token and sends the call once
 * more, unless the token is the same.
 */
export async function send(access: Access, call: Call, signal: AbortSignal): Promise<Reply> {
  const began = Date.now()
  const token = await access.tokens.token(signal)
  if (token.kind === 'none') return { ...token, kind: 'unsent' }
  const reply = await sendWith(token.value, access, call, { signal, began })
  if (!isUnauthorized(reply)) return reply
  access.tokens.drop(token.value)
  const renewed = await access.tokens.token(signal)
  if (renewed.kind === 'none' || renewed.value === token.value) return reply
  const second = await sendWith(renewed.value, access, call, { signal, began })
  if (isUnauthorized(second)) access.tokens.drop(renewed.value)
  return second
}

async function sendWith(
  token: string,
  { url, budget, headers, secrets = [], isThrottled = () => false }: Access,
  { path, method = 'GET', headers: more, body, isBackground = false }: Call,
  { signal, began }: { signal: AbortSignal; began: number },
): Promise<Reply> {
  const permit = await budget.acquire(isBackground, signal)
  if (permit.kind === 'held') return { ...permit, kind: 'unsent', isThrottled: true }
  if (Date.now() - began > RETRY_DEADLINE_MS) return { kind: 'unsent', reason: 'the process was held up' }
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  const baseHeaders = { ...type, accept: 'application/json', authorization: `Bearer ${token}` }
  const started = performance.now()
  const reply = await exchange(
    url + path,
    { method, headers: { ...headers, ...more, ...baseHeaders }, body },
    signal,
  )
  const outcome = reply.kind === 'answer' ? String(reply.status) : reply.kind
  measured('vendorCall', { host: new URL(url).host, method, outcome, seconds: secondsSince(started) })
  if (reply.kind !== 'answer' || reply.status < 300) return reply
  const wait = retryAfterOf(reply.headers)
  const isBusy = reply.status === 429 || (reply.status === 503 && wait !== undefined) || isThrottled(reply)
  if (isBusy) await budget.close(wait)
  // A refusal's text is shown to people and logged, so secrets that it repeats are removed.
  return { ...reply, text: withoutSecrets(reply.text, [token, ...secrets]), isThrottled: isBusy }
}

function isUnauthorized(reply: Reply): boolean {
  return reply.kind === 'answer' && reply.status === 401
}

/**
 * Returns an id encoded as one path segment. An id of dots only, which would be path traversal, becomes `-`, which
 * matches no id.
 */
export function segment(id: string): string {
  return encodeURIComponent(id.toWellFormed()).replace(/^\.*$/, '-')
}

/** Returns why a call was refused; `vendorWhy` is the reason by the vendor's own code. */
export function whyOf(reply: Reply, vendorWhy: Why | undefined): Why | undefined {
  if (reply.isThrottled) return 'throttled'
  if (reply.kind === 'cut') return undefined
  if (reply.kind === 'unsent') return reply.why ?? (reply.retryAfter === undefined ? undefined : 'throttled')
  return vendorWhy ?? (reply.status === 401 ? 'no_access' : undefined)
}

/** Outcome of one request to a vendor. */
type Exchange =
  | { kind: 'answer'; status: number; headers: Headers; text: string }
  /** Certainly never sent. */
  | { kind: 'unsent'; reason: string }
  /** Possibly received: the answer, or a part of it, is missing. */
  | { kind: 'cut'; reason: string }

/** Request; `body` is text. */
export type Outgoing = { method?: string; headers?: Record<string, string>; body?: string | undefined }

/** Largest answer in bytes, far above any expected one. */
const MAX_BYTES = 8 * 1024 * 1024
/** Longest accepted Retry-After, in seconds. */
const MAX_WAIT_SECONDS = 24 * 60 * 60
/** User agent. Google compresses answers only for user agents that contain "gzip". */
const USER_AGENT = `${PRODUCT} (gzip)`

/**
 * Sends one request, once, with its Content-Length. Never throws; redirects are returned like other answers (a token
 * must not follow them), and reasons repeat nothing of the request. Does not use `fetch`: the built server replaces it
 * by one that sends bodies in chunks, and `fetch` does not report whether a connection was established.
 */
export async function exchange(url: string, request: Outgoing, signal: AbortSignal): Promise<Exchange> {
  if (signal.aborted) return { kind: 'unsent', reason: 'there was no time left to ask' }
  let sending: ClientRequest
  try {
    sending = begin(url, request)
  } catch {
    return { kind: 'unsent', reason: 'the request could not be written' }
  }
  const connection = watched(sending)
  const giveUp = () => sending.destroy()
  // The listener is on the signal itself: a signal that only a chain of others refers to may be garbage-collected, and
  // its abort would never arrive.
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    return await answerTo(sending, request.body)
  } catch (error) {
    sending.destroy()
    const kind = connection.stood ? 'cut' : 'unsent'
    if (signal.aborted) return { kind, reason: `no ${connection.stood ? 'answer' : 'connection'} in time` }
    return { kind, reason: `the connection failed (${codeOf(error) ?? 'no code'})` }
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

/**
 * Begins a request.
 * @throws TypeError for an invalid URL or header
 */
function begin(url: string, { method = 'GET', headers = {}, body }: Outgoing): ClientRequest {
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const defaultHeaders = { 'user-agent': USER_AGENT, 'accept-encoding': 'gzip' }
  const { request } = url.startsWith('https:') ? https : http
  return request(new URL(url), { method, headers: { ...headers, ...defaultHeaders, ...length } })
}

/** Tracks whether a connection was established, in `stood`: before that, TLS included, no byte of a request is sent. */
function watched(sending: ClientRequest): { stood: boolean } {
  const connection = { stood: false }
  const isConnected = () => {
    connection.stood = true
  }
  sending.once('socket', (socket) => {
    // A kept-alive connection is established already.
    if (!socket.connecting) isConnected()
    else socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', isConnected)
  })
  return connection
}

async function answerTo(sending: ClientRequest, body: string | undefined): Promise<Exchange> {
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sending.on('response', resolve).on('error', reject)
  })
  sending.end(body)
  const response = await answered
  const headers = new Headers()
  for (const [name, values] of Object.entries(response.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value)
  }
  return { kind: 'answer', status: response.statusCode ?? 0, headers, text: await textOf(response) }
}

/** Returns the seconds of the header Retry-After; at most a day, since a clock may be wrong. */
export function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after')?.trim()
  if (!value) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(Math.ceil(seconds), 1), MAX_WAIT_SECONDS)
}

/** Parses JSON; undefined if it is invalid. The parser's error would quote parts of it. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Returns the decompressed body, up to the limit.
 * @throws Error if it is truncated or too long
 */
async function textOf(response: IncomingMessage): Promise<string> {
  const isPacked = response.headers['content-encoding'] === 'gzip'
  // An error of either stream ends both, and is thrown below.
  const body: Readable = isPacked ? pipeline(response, createGunzip(), () => {}) : response
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > MAX_BYTES) throw Object.assign(new Error('The answer is too long.'), { code: 'TOO_LONG' })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function codeOf(error: unknown): string | undefined {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : undefined
}

/** Removes from a text the secrets of the request. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
}
