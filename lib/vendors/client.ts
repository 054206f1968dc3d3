import 'server-only'
import type { ClientRequest, IncomingMessage } from 'node:http'
import http from 'node:http'
import https from 'node:https'
import { pipeline, type Readable } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { createGunzip } from 'node:zlib'
import { measured, secondsSince } from '#lib/platform/runtime/log.ts'
import packageJson from '../../package.json' with { type: 'json' }
import type { Budget } from './budgets.ts'
import type { Wait, Why } from './vendor.ts'

// What the clients of all vendors have in common; client.ts in a vendor's folder adds its address and its headers.

export type Call = {
  /** With the query, after the address of the vendor's API. */
  path: string
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT'
  headers?: Record<string, string>
  /** JSON. */
  body?: string
  /** Makes the call idempotent, where the vendor knows such a thing. */
  requestId?: string
  /** Nobody waits for it: it leaves the budget's reserve to people. */
  isBackground?: boolean
}

export type Reply = (
  | Extract<Exchange, { kind: 'answer' | 'cut' }>
  | (Extract<Exchange, { kind: 'unsent' }> & Wait)
) & {
  /** The vendor throttles the account, or its budget had no call for this one: all others wait too. */
  isThrottled?: boolean
  /** What the vendor's support asks for, where it has such a thing. */
  correlationId?: string | undefined
}

export type Answer = Extract<Reply, { kind: 'answer' }>

/**
 * Makes calls, each once; what is refused for its token alone, once more. Each is taken out of the account's budget.
 * Nothing here throws.
 */
export type Client = { call(call: Call, signal: AbortSignal): Promise<Reply> }

/** The same client for what a job asks. */
export function inBackground({ call }: Client): Client {
  return { call: (request, signal) => call({ ...request, isBackground: true }, signal) }
}

export type Token = { kind: 'token'; value: string } | ({ kind: 'none'; reason: string } & Wait)

export type Tokens = {
  /** A token, or why there is none. Others may wait for the same one: an abort ends only this wait. */
  token(signal: AbortSignal): Promise<Token>
  /** Forgets a token that the vendor no longer takes. */
  drop(value: string): void
}

type Access = {
  url: string
  tokens: Tokens
  budget: Budget
  headers: Record<string, string>
  secrets?: string[]
  /** Whether the vendor's own words say that it throttles, where the status alone does not. */
  isThrottled?: (answer: Answer) => boolean
}

/**
 * Of a process that was stopped for longer than anybody waits, in milliseconds: whatever it was about to send was decided
 * long ago, and others may have taken it for dead. Its own time limits may not have noticed yet.
 */
const RETRY_DEADLINE_MS = 20_000

/**
 * Makes one call with a token. Where the vendor no longer takes that (401), nothing was done: the token is renewed, and
 * the call made once more, unless there is no other token.
 */
export async function send(access: Access, call: Call, signal: AbortSignal): Promise<Reply> {
  const began = Date.now()
  const token = await access.tokens.token(signal)
  if (token.kind === 'none') return { ...token, kind: 'unsent' }
  const reply = await sendWith(token.value, access, call, signal, began)
  if (!isUnauthorized(reply)) return reply
  access.tokens.drop(token.value)
  const renewed = await access.tokens.token(signal)
  if (renewed.kind === 'none' || renewed.value === token.value) return reply
  const second = await sendWith(renewed.value, access, call, signal, began)
  if (isUnauthorized(second)) access.tokens.drop(renewed.value)
  return second
}

async function sendWith(
  token: string,
  { url, budget, headers, secrets = [], isThrottled = () => false }: Access,
  { path, method = 'GET', headers: more, body, isBackground = false }: Call,
  signal: AbortSignal,
  began: number,
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
  // A refusal's words go to people and into logs, whatever it repeats of what it was sent.
  return { ...reply, text: withoutSecrets(reply.text, [token, ...secrets]), isThrottled: isBusy }
}

function isUnauthorized(reply: Reply): boolean {
  return reply.kind === 'answer' && reply.status === 401
}

/** An id as one step of a path. Dots alone would climb, and nothing would shorten it: no id is like that. */
export function segment(id: string): string {
  return encodeURIComponent(id.toWellFormed()).replace(/^\.*$/, '-')
}

/** Why a call was not taken; `said` is what the vendor's own code says of that. */
export function whyOf(reply: Reply, vendorWhy: Why | undefined): Why | undefined {
  if (reply.isThrottled) return 'throttled'
  if (reply.kind === 'cut') return undefined
  if (reply.kind === 'unsent') return reply.why ?? (reply.retryAfter === undefined ? undefined : 'throttled')
  return vendorWhy ?? (reply.status === 401 ? 'no_access' : undefined)
}

/** What became of one request to a vendor. */
type Exchange =
  | { kind: 'answer'; status: number; headers: Headers; text: string }
  /** It surely never left. */
  | { kind: 'unsent'; reason: string }
  /** It may have arrived: only the answer, or a part of it, is missing. */
  | { kind: 'cut'; reason: string }

/** `body` is text. */
export type Outgoing = { method?: string; headers?: Record<string, string>; body?: string | undefined }

/** More than any answer of a vendor should have. */
const MAX_BYTES = 8 * 1024 * 1024
/** In seconds. */
const MAX_WAIT_SECONDS = 24 * 60 * 60
/** Who we are. Google packs its answers for those only that say "gzip" here too. */
const USER_AGENT = `${packageJson.name}/${packageJson.version} (gzip)`

/**
 * Sends one request, once, with its length. Nothing throws; redirects are answers like any other (a token must not
 * follow them), and no reason repeats what was sent. Not by `fetch`: the built server puts one of its own in its
 * place, which sends a body in chunks, and no `fetch` tells whether a connection ever stood.
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
  // On the signal itself: one that only a chain of others leads to may be collected, and its abort would never come.
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

/** @throws TypeError where the address or a header is none */
function begin(url: string, { method = 'GET', headers = {}, body }: Outgoing): ClientRequest {
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const defaultHeaders = { 'user-agent': USER_AGENT, 'accept-encoding': 'gzip' }
  const { request } = url.startsWith('https:') ? https : http
  return request(new URL(url), { method, headers: { ...headers, ...defaultHeaders, ...length } })
}

/** Whether the connection stands or stood, in `stood`: before it does, with TLS and all, no byte of a request leaves. */
function watched(sending: ClientRequest): { stood: boolean } {
  const connection = { stood: false }
  const isConnected = () => {
    connection.stood = true
  }
  sending.once('socket', (socket) => {
    // One that was kept from a call before is there already.
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

/** Seconds to wait, as the header Retry-After says; a day at most, because a clock may be wrong. */
export function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after')?.trim()
  if (!value) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(Math.ceil(seconds), 1), MAX_WAIT_SECONDS)
}

/** JSON as JavaScript has it, undefined where it is none. What a parser says of it would repeat pieces of it. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Unpacked, and no more than we take. @throws Error where it is cut */
async function textOf(response: IncomingMessage): Promise<string> {
  const isPacked = response.headers['content-encoding'] === 'gzip'
  // Whatever ends the one ends the other, and is thrown below.
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

const MAX_TEXT_LENGTH = 300

/** What a vendor said, on one line, for people and logs; of more than 300 characters the first, with the sign for more. */
export function oneLine(text: string): string {
  const line = text.replace(/[\p{C}\s]+/gu, ' ').trim()
  return line.length > MAX_TEXT_LENGTH ? `${line.slice(0, MAX_TEXT_LENGTH - 1).trimEnd()}…` : line
}

/** A text without the secrets that were sent, where it repeats them. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
}
