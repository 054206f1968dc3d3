import { route } from '#lib/platform/api/endpoint.ts'
import type { AnyOperation } from '#lib/platform/api/operation.ts'

type CallInput = { headers?: object; body?: unknown; params?: Record<string, string> }

/** Calls an operation like a request over the network. A call that changes something has an empty body by default. */
export async function callApi(operation: AnyOperation, { headers = {}, body = {}, params = {} }: CallInput) {
  const { method, path } = operation.contract
  const filled = path.replace(/\{(\w+)\}/g, (_: string, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  const request = new Request(`http://localhost:3000${filled}`, {
    method,
    headers: { ...headers, ...(method === 'GET' ? {} : { 'Content-Type': 'application/json' }) },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  })
  const response = await route(operation)[method as 'GET'](request)
  return { status: response.status, headers: response.headers, json: await response.json() }
}
