import { changeNaming, type Naming, readNaming, renaming } from '#lib/identity/customers/store.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { customerNamed, orDuplicate, recordDeed } from '../command.ts'
import { note } from '../terminal.ts'
import { contactOf, domainOf, nameOf } from './naming.ts'

type Given = { name?: string; domain?: string; contactEmail?: string }

/** Changes what is given; what is as it was before changes nothing. */
export async function renameCustomer(idOrDomain: string, given: Given): Promise<void> {
  const { customerId } = await customerNamed(idOrDomain)
  const { name, domain, contactEmail } = given
  const wanted = {
    ...(name === undefined ? {} : { name: nameOf(name) }),
    ...(domain === undefined ? {} : { domain: domainOf(domain) }),
    ...(contactEmail === undefined ? {} : { contactEmail: contactOf(contactEmail) }),
  }
  const fields = Object.keys(wanted) as (keyof Naming)[]
  if (fields.length === 0)
    throw new Problem('invalid_request', 'Say what changes: --name, --domain or --contact-email.')
  const change = scope({ customerId }, async (tx) => {
    const before = await readNaming(tx, customerId)
    if (!before) throw new Problem('not_found', `There is no customer "${idOrDomain}".`)
    const changed = Object.fromEntries(
      fields.filter((field) => wanted[field] !== before[field]).map((field) => [field, wanted[field]]),
    ) as Partial<Naming>
    if (Object.keys(changed).length === 0) return { before, changed, assets: 0 }
    const assets = await changeNaming(tx, customerId, changed, before)
    await recordDeed(tx, customerId, 'customer.renamed', customerId, renaming(before, changed))
    return { before, changed, assets }
  })
  const { before, changed, assets } = await orDuplicate(change, {
    customers_domain_unique: `There is a customer with the domain ${wanted.domain} already.`,
  })
  const said = Object.entries(changed).map(([field, value]) => `${field} ${value}`)
  note(said.length === 0 ? 'Nothing to change.' : `${customerId}: ${said.join(', ')}.`)
  if (assets > 0) note(`${assets} assets were of ${before.domain}, and are of ${changed.domain}.`)
  if (changed.name !== undefined)
    note('What invoices address are its billing profiles, which keep their names: see billing-profiles set.')
}
