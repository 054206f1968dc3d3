import 'server-only'
import { measured, secondsSince } from '#lib/platform/runtime/log.ts'
import type { Budget } from './budgets.ts'
import { type Exchange, exchange, retryAfterOf, withoutSecrets } from './exchange.ts'
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
  return { call: (given, signal) => call({ ...given, isBackground: true }, signal) }
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
const HELD_UP_MS = 20_000

/**
 * Makes one call with a token. Where the vendor no longer takes that (401), nothing was done: the token is renewed, and
 * the call made once more, unless there is no other token.
 */
export async function send(access: Access, call: Call, signal: AbortSignal): Promise<Reply> {
  const began = Date.now()
  const token = await access.tokens.token(signal)
  if (token.kind === 'none') return { ...token, kind: 'unsent' }
  const reply = await sendWith(token.value, access, call, signal, began)
  if (!isRefused(reply)) return reply
  access.tokens.drop(token.value)
  const renewed = await access.tokens.token(signal)
  if (renewed.kind === 'none' || renewed.value === token.value) return reply
  const second = await sendWith(renewed.value, access, call, signal, began)
  if (isRefused(second)) access.tokens.drop(renewed.value)
  return second
}

async function sendWith(
  token: string,
  { url, budget, headers, secrets = [], isThrottled = () => false }: Access,
  { path, method = 'GET', headers: more, body, isBackground = false }: Call,
  signal: AbortSignal,
  began: number,
): Promise<Reply> {
  const permit = await budget.take(isBackground, signal)
  if (permit.kind === 'held') return { ...permit, kind: 'unsent', isThrottled: true }
  if (Date.now() - began > HELD_UP_MS) return { kind: 'unsent', reason: 'the process was held up' }
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  const own = { ...type, accept: 'application/json', authorization: `Bearer ${token}` }
  const started = performance.now()
  const reply = await exchange(url + path, { method, headers: { ...headers, ...more, ...own }, body }, signal)
  const outcome = reply.kind === 'answer' ? String(reply.status) : reply.kind
  measured('vendorCall', { host: new URL(url).host, method, outcome, seconds: secondsSince(started) })
  if (reply.kind !== 'answer' || reply.status < 300) return reply
  const wait = retryAfterOf(reply.headers)
  const isBusy = reply.status === 429 || (reply.status === 503 && wait !== undefined) || isThrottled(reply)
  if (isBusy) await budget.close(wait)
  // A refusal's words go to people and into logs, whatever it repeats of what it was sent.
  return { ...reply, text: withoutSecrets(reply.text, [token, ...secrets]), isThrottled: isBusy }
}

function isRefused(reply: Reply): boolean {
  return reply.kind === 'answer' && reply.status === 401
}

/** An id as one step of a path. Dots alone would climb, and nothing would shorten it: no id is like that. */
export function segment(id: string): string {
  return encodeURIComponent(id.toWellFormed()).replace(/^\.*$/, '-')
}

/** Why a call was not taken; `said` is what the vendor's own code says of that. */
export function whyOf(reply: Reply, said: Why | undefined): Why | undefined {
  if (reply.isThrottled) return 'throttled'
  if (reply.kind === 'cut') return undefined
  if (reply.kind === 'unsent') return reply.why ?? (reply.retryAfter === undefined ? undefined : 'throttled')
  return said ?? (reply.status === 401 ? 'no_access' : undefined)
}
