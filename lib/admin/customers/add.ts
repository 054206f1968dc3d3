import * as directory from '#lib/identity/access/directory.ts'
import { listCustomerStates } from '#lib/identity/customers/states.ts'
import { wasRemoved } from '#lib/identity/customers/store.ts'
import { slugOf } from '#lib/imports/focus/platforms.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { orDuplicate, recordDeed } from '../command.ts'
import { printRows } from '../table.ts'
import { note, print } from '../terminal.ts'
import { contactOf, domainOf, nameOf } from './naming.ts'

type NewCustomer = { id?: string; name: string; domain: string; contactEmail: string }

/** Adds one customer. */
export async function addCustomer(given: NewCustomer): Promise<void> {
  const name = nameOf(given.name)
  const domain = domainOf(given.domain)
  const contactEmail = contactOf(given.contactEmail)
  const id = given.id ?? slugOf(domain.split('.')[0] ?? domain)
  if (slugOf(id) !== id) throw new Problem('invalid_request', `"${id}" is not an id such as ${slugOf(id)}.`)

  const customerId = newCustomerId(id)
  await orDuplicate(
    scope({ customerId }, async (tx) => {
      if (await wasRemoved(tx, id))
        throw new Problem('invalid_request', `"${id}" was a customer that is gone. Give another --id.`)
      await directory.addCustomer(tx, customerId, { name, domain, contactEmail })
      await recordDeed(tx, customerId, 'customer.added', id, { name, domain, contactEmail })
    }),
    {
      customers_pkey: `There is a customer "${id}" already. Give another --id.`,
      customers_domain_unique: `There is a customer with the domain ${domain} already.`,
    },
  )
  print(id)
  note(`Added ${name}. Next: members add --customer ${id} …, keys issue --customer ${id} …`)
}

/** All of them, as a table or as JSON; those that are closed with the time of it. */
export async function showCustomers(options: { json?: boolean }): Promise<void> {
  const { states } = await listCustomerStates()
  const isAnyClosed = [...states.values()].some(({ closedAt }) => closedAt !== null)
  printRows(
    [...states].map(([id, { domain, name, closedAt, goneAt }]) => ({
      id,
      domain,
      name,
      ...(isAnyClosed ? { closed: closedAt, gone: goneAt } : {}),
    })),
    options,
  )
}
