import type { Command } from 'commander'
import { withDatabase } from '../command.ts'
import { addCustomer, showCustomers } from './add.ts'
import { addLimitsCommand } from './limits.ts'

export function addCustomerCommands(customers: Command): void {
  const command = (name: string, description: string, example: string) =>
    customers
      .command(name)
      .description(description)
      .addHelpText('after', `\nExample:\n  npm run -s admin -- customers ${name} ${example}`.trimEnd())

  command(
    'add',
    'Add a customer, with a billing profile "default" that is named like it. Prints its id.',
    '--name "Sunbird AG" --domain sunbird.example --contact-email it@sunbird.example',
  )
    .requiredOption('--name <name>', 'the company, as invoices address it')
    .requiredOption('--domain <domain>', 'its main domain')
    .requiredOption('--contact-email <email>', 'whom to write to')
    .option('--id <id>', 'small letters, digits and hyphens; made from the domain if it is left out')
    .action(withDatabase(addCustomer))
  command('list', 'List the customers in the order in which they were added.', '--json')
    .option('--json', 'as JSON')
    .action(withDatabase(showCustomers))
  addLimitsCommand(customers)
}
