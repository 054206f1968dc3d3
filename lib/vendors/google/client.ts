import 'server-only'
import { exchange } from '../exchange.ts'
import type { SubscriptionRef } from '../vendor.ts'
import { type GoogleIdentity, googleTokens, ORDER, ORDER_READONLY } from './token.ts'

/** An answer of any status. */
export type GoogleAnswer = {
  kind: 'answer'
  status: number
  headers: Headers
  /** Undefined where it was no JSON. */
  body: unknown
}

/** What came of a call, with reasons as sentences. `unsent`: it surely never left. `cut`: it may have arrived. */
export type Called = GoogleAnswer | { kind: 'unsent'; reason: string } | { kind: 'cut'; reason: string }

type Ref = Pick<SubscriptionRef, 'customerId' | 'subscriptionId'>

const PAGE_SIZE = '100'
const UNAUTHORISED = 401

/** The three calls of Google's Workspace Reseller API v1 that we make, each tried once. Nothing here throws. */
export function googleCalls({ url, ...identity }: GoogleIdentity & { url: string }) {
  const tokens = googleTokens(identity)
  const root = `${url}/apps/reseller/v1`

  async function call(path: string, signal: AbortSignal, body?: object): Promise<Called> {
    const scope = body ? ORDER : ORDER_READONLY
    const access = await tokens.token(scope, signal)
    if (access.kind === 'unavailable') return { kind: 'unsent', reason: access.reason }
    const told = await exchange(root + path, requestOf(access.token, body), signal)
    if (told.kind === 'unsent') return { ...told, reason: `Google could not be asked: ${told.reason}.` }
    if (told.kind === 'cut')
      return { ...told, reason: `Google was asked, but gave no answer: ${told.reason}.` }
    const { status, headers: answered, text } = told
    // The next call asks for a new one.
    if (status === UNAUTHORISED) tokens.forget(scope)
    // An answer's words go to people and into logs, whatever it repeats of what it was sent.
    return { kind: 'answer', status, headers: answered, body: jsonOf(text.replaceAll(access.token, '…')) }
  }

  return {
    get: (ref: Ref, signal: AbortSignal) => call(pathOf(ref), signal),
    changeSeats: (ref: Ref, seats: Record<string, number>, signal: AbortSignal) =>
      call(`${pathOf(ref)}/changeSeats`, signal, seats),
    /** Of all customers, or of one. */
    list(of: { customerId?: string; pageToken?: string | undefined }, signal: AbortSignal) {
      const query = new URLSearchParams({ maxResults: PAGE_SIZE })
      if (of.customerId !== undefined) query.set('customerId', of.customerId)
      if (of.pageToken !== undefined) query.set('pageToken', of.pageToken)
      return call(`/subscriptions?${query}`, signal)
    },
  }
}

export type GoogleCalls = ReturnType<typeof googleCalls>

function requestOf(token: string, body: object | undefined): RequestInit {
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` }
  if (!body) return { method: 'GET', headers }
  const withType = { ...headers, 'content-type': 'application/json' }
  return { method: 'POST', headers: withType, body: JSON.stringify(body) }
}

function pathOf({ customerId, subscriptionId }: Ref): string {
  return `/customers/${segment(customerId)}/subscriptions/${segment(subscriptionId)}`
}

/** An id as one step of a path, which dots alone would climb. No id is like that. */
function segment(id: string): string {
  return encodeURIComponent(id.toWellFormed()).replace(/^\.*$/, '_')
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
