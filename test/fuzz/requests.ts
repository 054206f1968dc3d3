import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import type { Call } from '../fakes/vendors/routes.ts'

// Finds the PATCH that caused a call to a vendor: calls during a PATCH carry its id in a header that the product's code
// does not know. So the assertions don't depend on the product's own records.

const HEADER = 'x-asked-by'
const currentRequest = new AsyncLocalStorage<string>()

subscribe('http.client.request.created', (message) => {
  const id = currentRequest.getStore()
  if (id !== undefined) (message as { request: ClientRequest }).request.setHeader(HEADER, id)
})

/** Runs the work of the PATCH with this id. */
export function runAsRequest<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
  return currentRequest.run(id, work)
}

/** Returns the id of the PATCH that caused a call; undefined if no PATCH did. */
export function requestIdOf(call: Call | undefined): string | undefined {
  return call?.headers[HEADER]?.toString()
}
