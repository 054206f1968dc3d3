import type { Command } from 'commander'
import { z } from 'zod'
import * as directory from '#lib/access/directory.ts'
import { listCustomers, newCustomerId } from '#lib/access/store.ts'
import { Problem } from '#lib/api/problem.ts'
import { scope } from '#lib/db/scope.ts'
import { slugOf } from '#lib/imports/focus/platforms.ts'
import { checkedText, orDuplicate, recordDeed, withDatabase } from './command.ts'
import { addLimitsCommand } from './limits.ts'
import { printRows } from './table.ts'
import { note, print } from './terminal.ts'

type NewCustomer = { id?: string; name: string; domain: string; contactEmail: string }

export function addCustomerCommands(program: Command): void {
  const customers = program
    .command('customers')
    .description('The companies whose licenses and invoices are kept.')

  customers
    .command('add')
    .description('Add a customer, with a billing profile "default" that is named like it. Prints its id.')
    .requiredOption('--name <name>', 'the company, as invoices address it')
    .requiredOption('--domain <domain>', 'its main domain')
    .requiredOption('--contact-email <email>', 'whom to write to')
    .option('--id <id>', 'small letters, digits and hyphens; made from the domain if it is left out')
    .addHelpText(
      'after',
      '\nExample:\n  npm run -s admin -- customers add --name "Sunbird AG" --domain sunbird.example --contact-email it@sunbird.example',
    )
    .action(withDatabase(addCustomer))

  customers
    .command('list')
    .description('List the customers in the order in which they were added.')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExample:\n  npm run -s admin -- customers list --json')
    .action(withDatabase(showCustomers))

  addLimitsCommand(customers)
}

async function addCustomer(given: NewCustomer): Promise<void> {
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

async function showCustomers(options: { json?: boolean }): Promise<void> {
  const customers = await listCustomers()
  printRows(
    customers.map(({ customerId, name, domain }) => ({ id: customerId, domain, name })),
    options,
  )
}
