import { encode } from 'next-auth/jwt'
import { route } from '#lib/platform/api/endpoint.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import { sessionSecret } from '#lib/platform/caller/session.ts'
import type { TestDatabase } from '#lib/platform/db/test-database.ts'
import { addKey } from '#lib/platform/db/test-rows.ts'
import { addSession } from '#lib/platform/db/test-sessions.ts'
import { runWithRequestContext } from '#lib/platform/runtime/log.ts'
import { registerLeaks } from '#lib/server/leaks.ts'
import * as operations from './operations.ts'

export type Headers = Record<string, string>

/** Returns the headers of a member who signed in a number of minutes ago. */
export async function signedIn(customerId: string, memberId: string, minutesAgo = 0): Promise<Headers> {
  const createdAt = new Date(Date.now() - minutesAgo * 60_000)
  const sid = await addSession(customerId, memberId, { createdAt })
  const token = await encode({ token: { sid }, secret: sessionSecret() })
  return { cookie: `console-session=${token}`, 'sec-fetch-site': 'same-origin' }
}

export const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` })

export async function withKey(...options: Parameters<typeof addKey>): Promise<Headers> {
  return bearer(await addKey(...options))
}

const list = route(operations.listKeys, operations.issueKey)
const one = route(operations.readKey, operations.renameKey, operations.revokeKey)
const rotation = route(operations.rotateKey)

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/**
 * Calls the API of keys with the headers that the HTTP server adds.
 * @param rest path after `/billing/v1/keys`
 */
export function callApi(
  headers: Headers,
  method: Method,
  rest = '',
  { body, address }: { body?: unknown; address?: string | undefined } = {},
) {
  const mounted = rest.endsWith('/rotation') ? rotation : rest.startsWith('/') ? one : list
  return send(mounted[method], headers, { method, path: `/billing/v1/keys${rest}`, body, address })
}

/** Returns the status of a client's first call with this key. */
export async function opens(key: string, address = '192.0.2.1'): Promise<number> {
  const { status } = await send(route(operations.validateKey).GET, bearer(key), {
    method: 'GET',
    path: '/auth/v1/validate',
    address,
  })
  return status
}

/** Reports keys like a secret scanner. */
export function show(body: unknown) {
  registerLeaks()
  const mounted = route(operations.revokeLeakedKeys)
  return send(mounted.POST, {}, { method: 'POST', path: '/auth/v1/leaked-keys', body })
}

async function send(
  handler: (request: Request) => Promise<Response>,
  headers: Headers,
  {
    method,
    path,
    body,
    address = '192.0.2.1',
  }: { method: Method; path: string; body?: unknown; address?: string | undefined },
) {
  const request = new Request(`http://console.example${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const requestContext = { requestId: 'request-of-a-test', address, agent: 'curl/8' }
  const response = await runWithRequestContext(requestContext, () => handler(request))
  return { status: response.status, headers: response.headers, json: await response.json() }
}

/** Returns the row of a key, by its text. */
export async function rowOf(database: TestDatabase, customerId: string, key: string) {
  const { rows } = await database.opened.keys.query('SELECT id FROM api_keys WHERE digest = $1', [
    digestOf(key),
  ])
  const [row] = await database.sql(customerId, `SELECT ${SEEN} FROM api_keys WHERE id = $1`, [rows[0]?.id])
  return row ?? {}
}

const SEEN =
  'id, name, roles, billing_profiles, issued_by, belongs_to_customer, addresses, expires_at, revoked_at, replaced_by, last_used_at, last_used_address'
