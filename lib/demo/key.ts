import { randomUUID } from 'node:crypto'
import { newApiKey } from '#lib/access/api-key.ts'
import { addKey, listKeys, revokeKey } from '#lib/access/directory.ts'
import type { Role } from '#lib/access/rules.ts'
import { findCustomer } from '#lib/access/store.ts'
import { scope } from '#lib/db/scope.ts'
import { OPERATOR, recordAudit } from '#lib/history/audit.ts'

const NAME = 'Demo'
const ROLES: Role[] = ['it-manager', 'finance-user']

/**
 * A fresh key that may do all that the API offers. Only digests are stored, so each start issues its own
 * and revokes the one of the start before.
 * @param domain of the customer, which must be there
 */
export async function issueDemoKey(domain: string): Promise<string> {
  const customer = await findCustomer(domain)
  if (!customer) throw new Error(`There is no customer ${domain}.`)
  const { customerId } = customer
  const apiKey = newApiKey()
  await scope(customer, async (tx) => {
    const event = { actor: OPERATOR, requestId: randomUUID() }
    for (const { id, name, revokedAt } of await listKeys(tx, customerId)) {
      if (name !== NAME || revokedAt) continue
      await revokeKey(tx, customerId, id)
      await recordAudit(tx, customerId, { ...event, action: 'key.revoked', subject: id })
    }
    const id = await addKey(tx, customerId, apiKey, { name: NAME, roles: ROLES, validHours: undefined })
    const details = { name: NAME, roles: ROLES, validHours: null }
    await recordAudit(tx, customerId, { ...event, action: 'key.issued', subject: id, details })
  })
  return apiKey
}
