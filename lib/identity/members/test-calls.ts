import { encode } from 'next-auth/jwt'
import { route } from '#lib/platform/api/endpoint.ts'
import { sessionSecret } from '#lib/platform/caller/session.ts'
import { addKey } from '#lib/platform/db/test-rows.ts'
import { addSession } from '#lib/platform/db/test-sessions.ts'
import * as operations from './operations.ts'

export type Headers = Record<string, string>

/** Returns the headers of a member with a fresh sign-in. */
export async function signedIn(customerId: string, memberId: string): Promise<Headers> {
  return cookieOf(await addSession(customerId, memberId))
}

/** Returns the headers of a session that a test has opened. */
export async function cookieOf(sid: string): Promise<Headers> {
  const token = await encode({ token: { sid }, secret: sessionSecret() })
  return { cookie: `console-session=${token}`, 'sec-fetch-site': 'same-origin' }
}

export async function withKey(...options: Parameters<typeof addKey>): Promise<Headers> {
  return { authorization: `Bearer ${await addKey(...options)}` }
}

const list = route(operations.listMembers, operations.inviteMember)
const one = route(operations.readMember, operations.changeMember)
const link = route(operations.makeMemberLink)
const invitation = route(operations.withdrawInvitation)

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/**
 * Calls the members' API.
 * @param rest path after `/billing/v1/members`
 */
export async function callApi(headers: Headers, method: Method, rest: string, body?: unknown) {
  const mounted = /\/link$/.test(rest)
    ? link
    : /\/invitation$/.test(rest)
      ? invitation
      : rest.startsWith('/')
        ? one
        : list
  const request = new Request(`http://console.example/billing/v1/members${rest}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const response = await mounted[method](request)
  return { status: response.status, headers: response.headers, json: await response.json() }
}
