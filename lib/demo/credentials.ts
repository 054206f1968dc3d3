import { reissueKey } from '#lib/identity/keys/operator.ts'
import { hasPassword } from '#lib/identity/members/seed.ts'
import { findCustomer } from '#lib/platform/caller/store.ts'
import { reasonOf } from '#lib/platform/runtime/log.ts'
import { DEMO_PASSWORD } from './load.ts'

/**
 * Returns the emails of members who can't sign in with the demo's password any more. Checks passwords sequentially:
 * each check takes a core, and a busy machine would delay the database's connections. Never throws: `fault` contains
 * the reason of an early end.
 */
export async function changedPasswords(
  emails: readonly string[],
): Promise<{ changed: Set<string>; error: string | undefined }> {
  const changed = new Set<string>()
  try {
    for (const email of emails) {
      if (!(await hasPassword(email, DEMO_PASSWORD))) changed.add(email)
    }
    return { changed, error: undefined }
  } catch (error) {
    return { changed, error: reasonOf(error) }
  }
}

/**
 * Issues a new key with all permissions of the API. Only digests are stored, so each start issues its own key and
 * revokes that of the previous start on its port: the key of another demo on the same data stays valid.
 * @param domain of an existing customer
 */
export async function issueDemoKey(domain: string, port: number): Promise<string> {
  const customer = await findCustomer(domain)
  if (!customer) throw new Error(`There is no customer ${domain}.`)
  return reissueKey(customer.customerId, {
    name: `Demo on port ${port}`,
    roles: ['it-manager', 'finance-user'],
  })
}
