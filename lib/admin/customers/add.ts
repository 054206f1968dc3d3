import { z } from 'zod'
import * as directory from '#lib/access/directory.ts'
import { listCustomers, newCustomerId } from '#lib/access/store.ts'
import { Problem } from '#lib/api/problem.ts'
import { scope } from '#lib/db/scope.ts'
import { slugOf } from '#lib/imports/focus/platforms.ts'
import { checkedText, orDuplicate, recordDeed } from '../command.ts'
import { printRows } from '../table.ts'
import { note, print } from '../terminal.ts'

type NewCustomer = { id?: string; name: string; domain: string; contactEmail: string }

/** Adds one customer. */
export async function addCustomer(given: NewCustomer): Promise<void> {
  const name = checkedText('name', given.name)
  const domain = given.domain.trim().toLowerCase()
  if (!z.hostname().max(253).safeParse(domain).success || !domain.includes('.'))
    throw new Problem('invalid_request', `"${given.domain}" is not a domain such as sunbird.example.`)
  const contactEmail = given.contactEmail.trim()
  if (!z.email().max(254).safeParse(contactEmail).success)
    throw new Problem('invalid_request', `"${given.contactEmail}" is not an e-mail address.`)
  const id = given.id ?? slugOf(domain.split('.')[0] ?? domain)
  if (slugOf(id) !== id) throw new Problem('invalid_request', `"${id}" is not an id such as ${slugOf(id)}.`)

  const customerId = newCustomerId(id)
  await orDuplicate(
    scope({ customerId }, async (tx) => {
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

/** All of them, as a table or as JSON. */
export async function showCustomers(options: { json?: boolean }): Promise<void> {
  const customers = await listCustomers()
  printRows(
    customers.map(({ customerId, name, domain }) => ({ id: customerId, domain, name })),
    options,
  )
}
