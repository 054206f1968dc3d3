import 'server-only'
import { inTime } from './in-time.ts'

/** What became of one request to a vendor. */
export type Exchange =
  | { kind: 'answer'; status: number; headers: Headers; text: string }
  /** It surely never left. */
  | { kind: 'unsent'; reason: string }
  /** It may have arrived: only the answer, or a part of it, is missing. */
  | { kind: 'cut'; reason: string }

/** More than any answer of a vendor should have. */
const MAX_BYTES = 8 * 1024 * 1024
/** In seconds. */
const LONGEST_WAIT = 24 * 60 * 60
const NEVER_CONNECTED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']

/**
 * Sends one request, once. Nothing throws; redirects are answers like any other (a token must not follow them), and
 * no reason repeats what was sent.
 */
export async function exchange(url: string, init: RequestInit, signal: AbortSignal): Promise<Exchange> {
  if (signal.aborted) return { kind: 'unsent', reason: 'there was no time left to ask' }
  let request: Request
  try {
    request = new Request(url, { ...init, redirect: 'manual', signal })
  } catch {
    return { kind: 'unsent', reason: 'the request could not be written' }
  }
  // Besides fetch's own word: a framework that stands before fetch may lose the signal.
  return inTime(sent(request, signal), signal, { kind: 'cut', reason: 'no answer in time' })
}

async function sent(request: Request, signal: AbortSignal): Promise<Exchange> {
  try {
    // Frameworks that stand before fetch may answer a read from memory, but not one that names its signal.
    const response = await fetch(request, { signal, cache: 'no-store' })
    const { status, headers } = response
    return { kind: 'answer', status, headers, text: await boundedText(response) }
  } catch (error) {
    if (signal.aborted) return { kind: 'cut', reason: 'no answer in time' }
    const code = codeOf(error)
    const reason = `the connection failed (${code ?? 'no code'})`
    return { kind: code && NEVER_CONNECTED.includes(code) ? 'unsent' : 'cut', reason }
  }
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

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > MAX_BYTES) throw new Error('The answer is too long.', { cause: { code: 'TOO_LONG' } })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function codeOf(error: unknown): string | undefined {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } }
  const found = cause?.code ?? code
  return typeof found === 'string' ? found : undefined
}
