import 'server-only'
import type { ClientRequest, IncomingMessage } from 'node:http'
import http from 'node:http'
import https from 'node:https'
import { pipeline, type Readable } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { createGunzip } from 'node:zlib'
import packageJson from '../../package.json' with { type: 'json' }

/** What became of one request to a vendor. */
export type Exchange =
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
const LONGEST_WAIT = 24 * 60 * 60
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
  const own = { 'user-agent': USER_AGENT, 'accept-encoding': 'gzip' }
  const { request } = url.startsWith('https:') ? https : http
  return request(new URL(url), { method, headers: { ...headers, ...own, ...length } })
}

/** Whether the connection stands or stood, in `stood`: before it does, with TLS and all, no byte of a request leaves. */
function watched(sending: ClientRequest): { stood: boolean } {
  const connection = { stood: false }
  const stands = () => {
    connection.stood = true
  }
  sending.once('socket', (socket) => {
    // One that was kept from a call before is there already.
    if (!socket.connecting) stands()
    else socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', stands)
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
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(Math.ceil(seconds), 1), LONGEST_WAIT)
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

const LONGEST = 300

/** What a vendor said, on one line, for people and logs; of more than 300 characters the first, with the sign for more. */
export function oneLine(said: string): string {
  const line = said.replace(/[\p{C}\s]+/gu, ' ').trim()
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1).trimEnd()}…` : line
}

/** A text without the secrets that were sent, where it repeats them. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
}
