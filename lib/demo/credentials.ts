import { randomUUID } from 'node:crypto'
import { fittingOf } from '#lib/identity/access/passwords/hash.ts'
import { findPerson } from '#lib/identity/access/people/find-person.ts'
import { passwordsOf } from '#lib/identity/access/people/rules.ts'
import { issuedDetails } from '#lib/identity/keys/issue.ts'
import { addKey, listKeys, type NewKey, revokeKey } from '#lib/identity/keys/store.ts'
import { newApiKey } from '#lib/platform/caller/credentials.ts'
import { findCustomer } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'
import { reasonOf } from '#lib/platform/runtime/log.ts'
import { DEMO_PASSWORD } from './load.ts'

/**
 * Returns the e-mails of members who can't sign in with the demo's password any more. Checks passwords sequentially:
 * each check takes a core, and a busy machine would delay the database's connections. Never throws: `fault` contains
 * the reason of an early end.
 */
export async function changedPasswords(
  emails: readonly string[],
): Promise<{ changed: Set<string>; error: string | undefined }> {
  const changed = new Set<string>()
  try {
    for (const email of emails) {
      const person = await findPerson(email)
      if (!(await fittingOf(DEMO_PASSWORD, person ? passwordsOf(person) : []))) changed.add(email)
    }
    return { changed, error: undefined }
  } catch (error) {
    return { changed, error: reasonOf(error) }
  }
}

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
 * Issues a new key with all permissions of the API. Only digests are stored, so each start issues its own key and
 * revokes the previous start's.
 * @param domain of an existing customer
 */
export async function issueDemoKey(domain: string): Promise<string> {
  const customer = await findCustomer(domain)
  if (!customer) throw new Error(`There is no customer ${domain}.`)
  const { customerId } = customer
  const apiKey = newApiKey()
  await scope(customer, async (tx) => {
    const event = { actor: OPERATOR, requestId: randomUUID() }
    for (const { id, name } of await listKeys(
      tx,
      customerId,
      { keyScope: 'all', state: 'usable' },
      { limit: ALL },
    )) {
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
