import type { CustomerId } from '#lib/access/rules.ts'
import { findCustomer } from '#lib/access/store.ts'
import type { Transaction } from '#lib/db/client.ts'
import { scope } from '#lib/db/scope.ts'
import { setDisabled, setMember } from '#lib/members/store/write.ts'
import { addToGroup } from '#lib/scim/store/group-members.ts'
import { addGroup } from '#lib/scim/store/groups.ts'
import { tokenOf } from '#lib/scim/test-calls.ts'

/** Whose keys are ended. */
export const CUSTOMER = 'northwind'

/** The status of what was not answered at all. */
export const UNANSWERED = 0

export type Key = { id: string; secret: string; member: string; isEnding?: true; endedAt?: number }

/** What ends keys: an Admin's key, a directory's token, and the group of all who have a key. */
export type Means = { admin: string; token: string; group: string }
export type Way = (url: string, means: Means, key: Key) => Promise<unknown>

/** Each ends a key, or takes away what it opens. */
export const WAYS: Way[] = [
  (url, { admin }, { id }) => done(() => call(url, 'DELETE', `/billing/v1/keys/${id}`, admin)),
  (url, _, { secret }) => done(() => call(url, 'POST', '/auth/v1/leaked-keys', '', [{ token: secret }])),
  (url, _, { id, secret }) =>
    done(() => call(url, 'POST', `/billing/v1/keys/${id}/rotation`, secret, { overlap: 'now' })),
  (_, __, { member }) => ofCustomer((tx, id) => setDisabled(tx, id, member, true)),
  (_, __, { member }) => ofCustomer((tx, id) => setMember(tx, id, member, { roles: [] })),
]

const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const patchOf = (operation: object) => ({ schemas: [PATCH_OP], Operations: [operation] })
const LEAVER = patchOf({ op: 'Replace', path: 'active', value: 'False' })

/** As a directory ends what its leavers have. */
export const BY_DIRECTORY: Way[] = [
  (url, { token }, { member }) => done(() => call(url, 'PATCH', `/scim/v2/Users/${member}`, token, LEAVER)),
  (url, { token }, { member }) => done(() => call(url, 'DELETE', `/scim/v2/Users/${member}`, token)),
  (url, { token, group }, { member }) => {
    const out = patchOf({ op: 'Remove', path: `members[value eq "${member}"]` })
    return done(() => call(url, 'PATCH', `/scim/v2/Groups/${group}`, token, out))
  },
]

/** A token, and a group that gives what its members have: all who have a key. */
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

/** A connection that was not taken is tried again: what is asked here may be asked twice. */
async function done(ask: () => Promise<number>): Promise<void> {
  for (let tries = 1; tries <= 5; tries++) {
    const status = await ask().catch(() => UNANSWERED)
    if (status === 200 || status === 204) return
    if (status !== UNANSWERED) throw new Error(`A key was not ended: ${status}.`)
  }
  throw new Error('The service does not answer.')
}

export async function call(
  url: string,
  method: string,
  path: string,
  key: string,
  body?: unknown,
): Promise<number> {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  await response.arrayBuffer()
  return response.status
}
