import type { IncomingMessage } from 'node:http'
import type { Book, Pages, Subscription } from './book.ts'
import type { OwnFault } from './faults.ts'

/** What a client asked, as it arrived. */
export type Call = {
  /** Counts from 1 in the order of arrival. */
  number: number
  kind: 'read' | 'write' | 'auth' | 'unknown'
  /** The route's name, such as `changeSeats`. */
  name: string
  method: string
  /** With the query, as it stood in the request. */
  target: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  /** What stood in the path, decoded. */
  params: Record<string, string>
  /** The parameter `subscription` of the path. */
  subscriptionId: string | undefined
  text: string
}

export type Answer = {
  status: number
  headers?: Record<string, string>
  /** Becomes JSON; text goes out as it is. */
  body?: unknown
}

/** A call and how it ended. */
export type Exchange = { call: Call; answer: Answer | 'cut' | 'hang'; fault: string | undefined }

/** At once and without waiting: what is checked is then what is written. */
type Handler<Books> = (call: Call, books: Books) => Answer

/** A path such as `/customers/:customer/subscriptions/:subscription`, and what happens there. */
export type Route<Own> = { name: string; method: string; path: string } & (
  | { kind: 'read'; handle: Handler<Pages<Own>> }
  | { kind: 'write'; handle: Handler<Book<Own>> }
  | { kind: 'auth'; handle: Handler<Pages<Own>> }
)

/** What makes the engine into one vendor. */
export type FakeVendor<Own> = {
  /** For people, in what the fake prints. */
  label: string
  routes: Route<Own>[]
  /** Fills in what `add` was not told. */
  fill(given: Given<Own>): Subscription<Own>
  error(status: number): Answer
  /** @param seconds for Retry-After */
  throttled(seconds: number): Answer
  notFound(call: Call): Answer
  faults?: Record<string, OwnFault<Answer>>
}

/** What `add` takes: an id, and what shall differ from the vendor's usual. */
export type Given<Own> = { id: string; own?: Partial<Own> } & Partial<Omit<Subscription<Own>, 'id' | 'own'>>

/** Reads a request: what it asks, and the route that answers it. */
export function callOf<Own>(
  routes: Route<Own>[],
  request: IncomingMessage,
  arrived: { number: number; text: string },
): { call: Call; route: Route<Own> | undefined } {
  const { method = 'GET', url: target = '/', headers } = request
  const { pathname, searchParams: query } = new URL(target, 'http://fake')
  const { route, params = {} } = matchRoute(routes, method, pathname) ?? {}
  const { kind, name } = route ?? { kind: 'unknown' as const, name: '' }
  const subscriptionId = params.subscription
  return { call: { ...arrived, kind, name, method, target, query, headers, params, subscriptionId }, route }
}

function matchRoute<Own>(routes: Route<Own>[], method: string, pathname: string) {
  for (const route of routes) {
    const params = route.method === method ? matchPath(route.path, pathname) : undefined
    if (params) return { route, params }
  }
  return undefined
}

function matchPath(pattern: string, pathname: string): Record<string, string> | undefined {
  const [wanted, given] = [pattern.split('/'), pathname.split('/')]
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const found = given[index] ?? ''
    if (!part.startsWith(':')) {
      if (part !== found) return undefined
      continue
    }
    const value = decoded(found)
    if (!value) return undefined
    params[part.slice(1)] = value
  }
  return params
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}
