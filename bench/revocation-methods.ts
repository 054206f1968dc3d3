import { encode } from 'next-auth/jwt'
import { setDisabled, setMember } from '#lib/identity/members/store.ts'
import { addGroup, addToGroup } from '#lib/identity/scim/store.ts'
import { tokenOf } from '#lib/identity/scim/test-calls.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { findCustomer } from '#lib/platform/caller/store.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { addSession } from '#lib/platform/db/test-sessions.ts'
import { SESSION_SECRET } from './http/program.ts'

/** Customer whose keys are revoked. */
export const CUSTOMER = 'northwind'

/** Status of a request without a response. */
export const UNANSWERED = 0

/** A key with its member, and the cookie of that member's session. */
export type Key = {
  id: string
  secret: string
  member: string
  cookie: string
  /** Whether its member's session goes on, because only the key was revoked. */
  isKeyAlone?: boolean
  isEnding?: true
  endedAt?: number
}

/**
 * Credentials that revoke keys: an Admin's key and session, a directory's token, and the group of all members with a
 * key.
 */
export type Means = { admin: string; cookie: string; token: string; group: string }
export type Revocation = (url: string, means: Means, key: Key) => Promise<unknown>

/** Each of them revokes a key, or takes away its permissions. */
export const REVOCATIONS: Revocation[] = [
  (url, { admin }, { id }) => done(() => call(url, `DELETE /billing/v1/keys/${id}`, admin)),
  (url, _, { secret }) => done(() => call(url, 'POST /auth/v1/leaked-keys', '', [{ token: secret }])),
  (url, _, { id, secret }) =>
    done(() => call(url, `POST /billing/v1/keys/${id}/rotation`, secret, { overlap: 'now' })),
  (_, __, { member }) => ofCustomer((tx, id) => setDisabled(tx, id, member, true)),
  (_, __, { member }) => ofCustomer((tx, id) => setMember(tx, id, member, { roles: [] })),
]

const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const patchOf = (operation: object) => ({ schemas: [PATCH_OP], Operations: [operation] })
const LEAVER = patchOf({ op: 'Replace', path: 'active', value: 'False' })

/** Revocations by a directory when members leave. */
export const BY_DIRECTORY: Revocation[] = [
  (url, { token }, { member }) => done(() => call(url, `PATCH /scim/v2/Users/${member}`, token, LEAVER)),
  (url, { token }, { member }) => done(() => call(url, `DELETE /scim/v2/Users/${member}`, token)),
  (url, { token, group }, { member }) => {
    const out = patchOf({ op: 'Remove', path: `members[value eq "${member}"]` })
    return done(() => call(url, `PATCH /scim/v2/Groups/${group}`, token, out))
  },
]

/** Revocations by an Admin on the screens of keys and of members: the same calls, with a browser's session. */
export const BY_SCREEN: Revocation[] = [
  (url, { cookie }, key) => {
    key.isKeyAlone = true
    return done(() => call(url, `DELETE /billing/v1/keys/${key.id}`, { cookie }))
  },
  (url, { cookie }, { member }) =>
    done(() => call(url, `PATCH /billing/v1/members/${member}`, { cookie }, { disabled: true })),
  (url, { cookie }, { member }) =>
    done(() => call(url, `PATCH /billing/v1/members/${member}`, { cookie }, { roles: ['finance-user'] })),
]

/** Returns the cookie of a member who has just signed in. */
export async function cookieOf(member: string, customer = CUSTOMER): Promise<string> {
  const sid = await addSession(customer, member)
  return `console-session=${await encode({ token: { sid }, secret: SESSION_SECRET })}`
}

/** Returns a directory's token, and a group of all members with a key, which grants their access. */
export async function directoryOf(keys: readonly Key[]): Promise<{ token: string; group: string }> {
  const token = await tokenOf(CUSTOMER, ['it-manager'])
  const customer = await findCustomer(CUSTOMER)
  if (!customer) throw new Error('There is no customer.')
  const { customerId } = customer
  const mapping = { displayName: 'Staff', roles: ['it-manager'] as const, billingProfiles: null }
  const group = await scope(customer, async (tx) => {
    const id = await addGroup(tx, customerId, mapping)
    if (id === undefined) throw new Error('There is a group already.')
    await addToGroup(
      tx,
      customerId,
      id,
      keys.map(({ member }) => member),
    )
    return id
  })
  return { token, group }
}

type Change = (tx: Transaction, customerId: CustomerId) => Promise<void>

async function ofCustomer(change: Change): Promise<void> {
  const customer = await findCustomer(CUSTOMER)
  if (customer) await scope(customer, (tx) => change(tx, customer.customerId))
}

/** Number of tries: all changes of members wait for each other, for a second at most. */
const MAX_TRIES = 100
const NOT_NOW = 503

/** Repeats a request that was not answered or failed with 503, as a person would: each request may arrive twice. */
async function done(send: () => Promise<number>): Promise<void> {
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const status = await send().catch(() => UNANSWERED)
    if (status === 200 || status === 204) return
    if (status !== UNANSWERED && status !== NOT_NOW) throw new Error(`A key was not ended: ${status}.`)
  }
  throw new Error('The service does not answer.')
}

/**
 * Sends a request and returns its status.
 * @param route method and path
 * @param by a key, or a session's cookie
 */
export async function call(
  url: string,
  route: string,
  by: string | { cookie: string },
  body?: unknown,
): Promise<number> {
  const [method = '', path = ''] = route.split(/ (.*)/)
  const response = await fetch(url + path, {
    method,
    headers: {
      ...credentials(by),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  await response.arrayBuffer()
  return response.status
}

/** Returns the credential headers: a program's key, or the cookie of the console's own pages. */
function credentials(by: string | { cookie: string }): Record<string, string> {
  if (typeof by === 'string') return by ? { authorization: `Bearer ${by}` } : {}
  return { cookie: by.cookie, 'sec-fetch-site': 'same-origin' }
}
