import { randomUUID } from 'node:crypto'
import { issuedDetails } from '#lib/identity/keys/issue.ts'
import { addKey, listKeys, type NewKey, revokeKey } from '#lib/identity/keys/store.ts'
import { newApiKey } from '#lib/platform/caller/api-key.ts'
import { findCustomer } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'

const KEY: NewKey = {
  name: 'Demo',
  roles: ['it-manager', 'finance-user'],
  billingProfiles: null,
  issuedBy: null,
  owner: 'CUSTOMER',
  addresses: null,
  hours: null,
}
/** More than a demo has. */
const ALL = 1000

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
    for (const { id, name } of await listKeys(tx, customerId, { reach: 'all', state: 'usable' }, ALL)) {
      if (name !== KEY.name) continue
      await revokeKey(tx, customerId, id)
      await recordAudit(tx, customerId, { ...event, action: 'key.revoked', subject: id })
    }
    const id = await addKey(tx, customerId, apiKey, KEY)
    await recordAudit(tx, customerId, {
      ...event,
      action: 'key.issued',
      subject: id,
      details: issuedDetails(KEY),
    })
  })
  return apiKey
}
