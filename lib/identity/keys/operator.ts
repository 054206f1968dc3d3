import 'server-only'
import { randomUUID } from 'node:crypto'
import { newApiKey } from '#lib/platform/caller/credentials.ts'
import type { Caller, CustomerId, Role } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'
import { issue, issuedDetails } from './issue.ts'
import * as store from './store.ts'

// Keys that belong to the customer, as the operator's programs list and issue them.

/** More than any customer has: a list on a terminal has no pages. */
const ALL = 100_000

/** Lists all keys of the customer, newest first. */
export function listKeys(tx: Transaction, customerId: CustomerId): Promise<store.KeyRow[]> {
  return store.listKeys(tx, customerId, { keyScope: 'all' }, { limit: ALL })
}

type KeyRequest = { name: string; roles: Role[]; validDays: number }

/** Issues all of these keys, or none. @returns their ids and secrets, in order. @throws Problem as `issue` does */
export function issueKeys(
  operator: Caller,
  requests: readonly KeyRequest[],
): Promise<{ id: string; secret: string }[]> {
  const requestId = randomUUID()
  return scope(operator, async (tx) => {
    const issued: { id: string; secret: string }[] = []
    for (const request of requests) {
      const secret = newApiKey()
      const id = await issue(tx, operator, { ...request, owner: 'CUSTOMER' }, { secret, requestId })
      issued.push({ id, secret })
    }
    return issued
  })
}

/** Issues a key with these roles and all billing profiles, and revokes the usable ones of its name. @returns the key */
export async function reissueKey(
  customerId: CustomerId,
  { name, roles }: { name: string; roles: Role[] },
): Promise<string> {
  const secret = newApiKey()
  const profiles = { billingProfiles: null, issuedBy: null, addresses: null, hours: null }
  const key: store.NewKey = { name, roles, owner: 'CUSTOMER', ...profiles }
  const event = { actor: OPERATOR, requestId: randomUUID() }
  await scope({ customerId }, async (tx) => {
    const usable = await store.listKeys(tx, customerId, { keyScope: 'all', state: 'usable' }, { limit: ALL })
    for (const { id } of usable.filter((one) => one.name === name)) {
      await store.revokeKey(tx, customerId, id)
      await recordAudit(tx, customerId, { ...event, action: 'key.revoked', subject: id })
    }
    const id = await store.addKey(tx, customerId, secret, key)
    const details = issuedDetails(key)
    await recordAudit(tx, customerId, { ...event, action: 'key.issued', subject: id, details })
  })
  return secret
}
