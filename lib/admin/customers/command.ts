import { randomUUID } from 'node:crypto'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { OPERATOR } from '#lib/platform/history/audit.ts'
import { customerNamed, withDatabase } from '../command.ts'
import { needTerminal, note, print, printJson } from '../terminal.ts'
import type { ImportOptions } from './import.ts'
import { addLimitsCommand } from './limits.ts'
import type { MergeOptions } from './merge/merge.ts'

const WHICH = ['<customer>', 'id or domain of the customer'] as const

export function addCustomerCommands(customers: Command): void {
  const command = (name: string, description: string, example: string) =>
    customers
      .command(name)
      .description(description)
      .addHelpText('after', `\nExample:\n  npm run -s admin -- customers ${name} ${example}`)

  command(
    'add',
    'Add a customer, with a billing profile "default" that is named like it. Prints its id.',
    '--name "Sunbird AG" --domain sunbird.example --contact-email it@sunbird.example',
  )
    .requiredOption('--name <name>', 'the company, as invoices address it')
    .requiredOption('--domain <domain>', 'its main domain')
    .requiredOption('--contact-email <email>', 'whom to write to')
    .option('--id <id>', 'small letters, digits and hyphens; made from the domain if it is left out')
    .action(withDatabase(async (options) => (await import('./naming.ts')).addCustomer(options)))
  command('list', 'List the customers in the order in which they were added.', '--json').action(
    withDatabase(async (options) => (await import('./naming.ts')).showCustomers(options)),
  )
  addLimitsCommand(customers)
  addPricesCommand(customers)
  command(
    'import',
    'Bring customers, with profiles, issuers, members and notices, to what a file says. It is shown first, and asked.',
    'customers.csv --links out/links.csv --dry-run',
  )
    .argument('<file>', 'CSV or JSON, also gzipped: see docs/operate/customers.md; - is the standard input')
    .option('--dry-run', 'show what would change, and store nothing')
    .option('--yes', 'do not ask before changing')
    .option('--links <file>', 'write the links of new members into this file, which is made for it')
    .option('--mail', 'mail them instead')
    .option('--json', 'what would change as JSON')
    .action(async (file: string, options: ImportOptions, subcommand: Command) => {
      if (!options.dryRun && !options.yes) needTerminal(subcommand, file === '-')
      const { importCustomers } = await import('./import.ts')
      await withDatabase(importCustomers)(file, options)
    })
  command(
    'issue-keys',
    'Issue keys for many customers, a row of a file each, and write them into a file that is made for them.',
    'wanted.csv --out out/keys.csv',
  )
    .argument('<file>', 'CSV with customer, name, roles and days (90 unless told); - is the standard input')
    .requiredOption('--out <file>', 'for the keys, which cannot be shown again')
    .action(withDatabase(async (file, options) => (await import('./issue-keys.ts')).issueKeys(file, options)))
  command('rename', 'Change name, domain or contact of a customer.', 'sunbird --domain sunbird.example')
    .argument(...WHICH)
    .option('--name <name>', 'the company')
    .option('--domain <domain>', 'its main domain, and that of its assets')
    .option('--contact-email <email>', 'whom to write to')
    .action(withDatabase(async (id, options) => (await import('./naming.ts')).renameCustomer(id, options)))
  addLeaving(command)
}

/** Adds the commands that end a customer. */
function addLeaving(command: (name: string, description: string, example: string) => Command): void {
  command(
    'close',
    'Close a customer: from the next request on it can only be read, and after some days not even that.',
    'sunbird --gone-after 90',
  )
    .argument(...WHICH)
    .option('--gone-after <days>', 'when it is gone', daysOf, 30)
    .action(withDatabase(async (id, options) => (await import('./close.ts')).closeCustomer(id, options)))
  command('reopen', 'Open a closed customer again, before it is gone.', 'sunbird')
    .argument(...WHICH)
    .action(withDatabase(async (id) => (await import('./close.ts')).reopenCustomer(id)))
  command(
    'export',
    'Write everything of a customer into a folder: JSON lines for each table, and documents.',
    'sunbird --to out/sunbird',
  )
    .argument(...WHICH)
    .requiredOption('--to <folder>', 'which is made for it')
    .action(withDatabase(async (id, options) => (await import('./export.ts')).exportWhole(id, options)))
  command(
    'remove-gone',
    'Remove all rows of those that are gone and were exported since they were closed, as the job does each night.',
    '--dry-run',
  )
    .option('--dry-run', 'say who would be removed')
    .action(withDatabase(async (options) => (await import('./close.ts')).purgeClosedCustomers(options)))
  command(
    'merge',
    'Give all that a closed customer has to another one. What both have under one id is refused by its name.',
    'moonbird --into sunbird --profile default=moonbird --dry-run',
  )
    .argument(...WHICH)
    .requiredOption('--into <id>', 'id or domain of the customer that gets it')
    .option('--profile <old=new>', 'the new id of a billing profile; may be given several times', pairOf)
    .option('--leave-members', 'members whom the other one has, too, stay behind with their keys')
    .option('--dry-run', 'say what would go, and store nothing')
    .option('--yes', 'do not ask before changing')
    .action(async (id: string, options: MergeOptions, subcommand: Command) => {
      if (!options.dryRun && !options.yes) needTerminal(subcommand, false)
      const { mergeCustomers } = await import('./merge/merge.ts')
      await withDatabase(mergeCustomers)(id, options)
    })
}

function daysOf(text: string): number {
  const days = Number(text)
  if (/^\d{1,4}$/.test(text) && days >= 1 && days <= 3650) return days
  throw new InvalidArgumentError('Enter whole days, from 1 to 3650.')
}

function pairOf(text: string, before: [string, string][] = []): [string, string][] {
  const [, old = '', fresh = ''] = /^([^=]+)=([^=]{1,200})$/.exec(text) ?? []
  if (old.trim() === '' || fresh.trim() === '') throw new InvalidArgumentError('Give it as old=new.')
  return [...before, [old.trim(), fresh.trim()]]
}

/** @param customers the program's commands about customers */
function addPricesCommand(customers: Command): void {
  customers
    .command('prices')
    .description('Show or set whether IT Managers see prices. Takes effect with the next request.')
    .argument('<customer>', 'id or domain of the customer')
    .addOption(new Option('--to-it-managers <state>', 'what they see').choices(['shown', 'hidden']))
    .addHelpText(
      'after',
      '\nExample:\n  npm run -s admin -- customers prices sunbird --to-it-managers hidden',
    )
    .action(withDatabase(prices))
}

async function prices(
  customer: string,
  { toItManagers, json }: { toItManagers?: 'shown' | 'hidden'; json?: boolean },
) {
  // Imported here: loading the invoice modules would slow the start of every other command.
  const { changeVisibility } = await import('#lib/costs/license-prices/operations.ts')
  const { readHidesPrices } = await import('#lib/costs/license-prices/store.ts')
  const { customerId } = await customerNamed(customer)
  if (toItManagers) {
    const by = { actor: OPERATOR, requestId: `admin-${randomUUID()}` }
    const isChanged = await scope({ customerId }, (tx) =>
      changeVisibility(tx, customerId, toItManagers === 'hidden', by),
    )
    note(isChanged ? `Prices of ${customerId} are ${toItManagers} from now on.` : 'They were so already.')
  }
  const areHidden = await readScope({ customerId }, (tx) => readHidesPrices(tx, customerId))
  const state = areHidden ? 'hidden' : 'shown'
  if (json) printJson({ toItManagers: state })
  else print(state)
}
