import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import type { Call } from '../fakes/vendors/routes.ts'

// Which PATCH a call to a vendor comes from: what leaves while one is worked on carries its id in a header that no
// code of the product knows. So the verdict need not believe our own books about that.

const HEADER = 'x-asked-by'
const currentRequest = new AsyncLocalStorage<string>()

subscribe('http.client.request.created', (message) => {
  const id = currentRequest.getStore()
  if (id !== undefined) (message as { request: ClientRequest }).request.setHeader(HEADER, id)
})

/** Does the work of the PATCH with this id. */
export function runAsRequest<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
  return currentRequest.run(id, work)
}

/** The id of the PATCH that a call comes from; undefined for what no call did. */
export function requestIdOf(call: Call | undefined): string | undefined {
  return call?.headers[HEADER]?.toString()
}
