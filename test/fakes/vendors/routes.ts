import type { IncomingMessage } from 'node:http'
import type { VendorFault } from './faults.ts'
import type { Pages, Store, Subscription } from './store.ts'

/** A client's request, as it arrived. */
export type Call = {
  /** Number of the call, counted from 1 in the order of arrival. */
  number: number
  kind: 'read' | 'write' | 'auth' | 'unknown'
  /** The route's name, such as `changeSeats`. */
  name: string
  method: string
  /** Request target with the query, unparsed. */
  target: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  /** Parameters of the path, decoded. */
  params: Record<string, string>
  /** The parameter `subscription` of the path. */
  subscriptionId: string | undefined
  text: string
}

export type Answer = {
  status: number
  headers?: Record<string, string>
  /** Serialized as JSON; text is sent unchanged. */
  body?: unknown
}

/** A call and its outcome. */
export type Exchange = { call: Call; answer: Answer | 'cut' | 'hang'; fault: string | undefined }

/** Synchronous, so that the checked state is the written state. */
type Handler<State> = (call: Call, state: State) => Answer

/** A path such as `/customers/:customer/subscriptions/:subscription`, and its handler. */
export type Route<VendorFields> = { name: string; method: string; path: string } & (
  | { kind: 'read'; handle: Handler<Pages<VendorFields>> }
  | { kind: 'write'; handle: Handler<Store<VendorFields>> }
  | { kind: 'auth'; handle: Handler<Pages<VendorFields>> }
)

/** Functions and data that turn the engine into a vendor. */
export type FakeVendor<VendorFields> = {
  /** Name of the vendor in the fake's output. */
  label: string
  routes: Route<VendorFields>[]
  /** Fills in the fields that `add` did not get. */
  fill(input: NewSubscription<VendorFields>): Subscription<VendorFields>
  error(status: number): Answer
  /** @param seconds for Retry-After */
  throttled(seconds: number): Answer
  missing(call: Call): Answer
  faults?: Record<string, VendorFault<Answer>>
}

/** Argument of `add`: an id, and the fields that differ from the vendor's defaults. */
export type NewSubscription<VendorFields> = { id: string; vendorFields?: Partial<VendorFields> } & Partial<
  Omit<Subscription<VendorFields>, 'id' | 'vendorFields'>
>

/** Parses a request, and finds the route that answers it. */
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
