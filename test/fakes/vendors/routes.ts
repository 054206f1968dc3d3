import type { IncomingMessage } from 'node:http'
import type { VendorFault } from './faults.ts'
import type { Pages, Store, Subscription } from './store.ts'

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
type Handler<State> = (call: Call, state: State) => Answer

/** A path such as `/customers/:customer/subscriptions/:subscription`, and what happens there. */
export type Route<VendorFields> = { name: string; method: string; path: string } & (
  | { kind: 'read'; handle: Handler<Pages<VendorFields>> }
  | { kind: 'write'; handle: Handler<Store<VendorFields>> }
  | { kind: 'auth'; handle: Handler<Pages<VendorFields>> }
)

/** What makes the engine into one vendor. */
export type FakeVendor<VendorFields> = {
  /** For people, in what the fake prints. */
  label: string
  routes: Route<VendorFields>[]
  /** Fills in what `add` was not told. */
  fill(input: NewSubscription<VendorFields>): Subscription<VendorFields>
  error(status: number): Answer
  /** @param seconds for Retry-After */
  throttled(seconds: number): Answer
  missing(call: Call): Answer
  faults?: Record<string, VendorFault<Answer>>
}

/** What `add` takes: an id, and what shall differ from the vendor's usual. */
export type NewSubscription<VendorFields> = { id: string; own?: Partial<VendorFields> } & Partial<
  Omit<Subscription<VendorFields>, 'id' | 'own'>
>

/** Reads a request: what it asks, and the route that answers it. */
export function callOf<VendorFields>(
  routes: Route<VendorFields>[],
  request: IncomingMessage,
  arrived: { number: number; text: string },
): { call: Call; route: Route<VendorFields> | undefined } {
  const { method = 'GET', url: target = '/', headers } = request
  const { pathname, searchParams: query } = new URL(target, 'http://fake')
  const { route, params = {} } = matchRoute(routes, method, pathname) ?? {}
  const { kind, name } = route ?? { kind: 'unknown' as const, name: '' }
  const subscriptionId = params.subscription
  return { call: { ...arrived, kind, name, method, target, query, headers, params, subscriptionId }, route }
}

function matchRoute<VendorFields>(routes: Route<VendorFields>[], method: string, pathname: string) {
  for (const route of routes) {
    const params = route.method === method ? matchPath(route.path, pathname) : undefined
    if (params) return { route, params }
  }
  return undefined
}

function matchPath(pattern: string, pathname: string): Record<string, string> | undefined {
  const [expected, actual] = [pattern.split('/'), pathname.split('/')]
  if (expected.length !== actual.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of expected.entries()) {
    const segment = actual[index] ?? ''
    if (!part.startsWith(':')) {
      if (part !== segment) return undefined
      continue
    }
    const value = decoded(segment)
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
