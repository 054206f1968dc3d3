import type { Command } from 'commander'
import { withDatabase } from '../command.ts'
import { collectExpectation, collectPair, collectTag, daysOf } from './collected.ts'
import { importAssets, importFocus, importInvoices } from './import.ts'
import { listAllImports, showImport } from './list.ts'
import { undo } from './undo.ts'

const PATHS = 'files, also gzipped, ZIP archives, or folders of them, as one import; - is the standard input'

export function addImportCommands(parent: Command): void {
  const command = (name: string, description: string, example: string) =>
    parent
      .command(name)
      .description(description)
      .addHelpText('after', `\nExample:\n  npm run -s admin -- import ${name} ${example}`)

  const focus = command(
    'focus',
    'Make invoices of FOCUS 1.0 to 1.4 files (CSV).',
    'costs-2026-10.csv.gz --customer sunbird',
  )
    .argument('<path...>', PATHS)
    .option('--customer <id>', 'id or domain of the customer')
    .option(
      '--map <file>',
      'CSV that leads each billing or sub-account to its customer and profile, in the place of --customer',
    )
    .option(
      '--issuer <name>',
      'you, in the place of the vendor whose charges you resell; with --prices or --at-cost',
    )
    .option('--prices <file>', 'CSV of rules that make your prices')
    .option('--at-cost', 'your prices are what the vendor billed')
    .option(
      '--platform <pair>',
      'platform of a provider, as in "AWS=web-services"; may be given several times',
      collectPair,
    )
    .option('--due-days <days>', 'days from the invoice date to the due date', daysOf, 30)
    .option('--paid', 'nothing is left to pay')
    .option(
      '--tag <key>',
      'a tag that is kept of charges, by its key; may be given up to 20 times',
      collectTag,
    )
  ofInvoices(focus).hook('preAction', oneOwner).action(withDatabase(importFocus))

  const invoices = command(
    'invoices',
    'Import invoices from our own JSON or NDJSON.',
    'invoices.ndjson --customer sunbird',
  )
    .argument('<path...>', PATHS)
    .requiredOption('--customer <id>', 'id or domain of the customer')
  ofInvoices(invoices).action(withDatabase(importInvoices))

  command(
    'assets',
    "Import assets: our own JSON or NDJSON, or Google's subscriptions.",
    'assets.json --customer sunbird',
  )
    .argument('<file>', 'a JSON or NDJSON file, also gzipped; - is the standard input')
    .option('--customer <id>', 'id or domain of the customer')
    .option('--by-domain', "in its place: each asset is the customer's who has its domain")
    .option('--replace', 'write over what is stored with other content')
    .option('--reseller <email>', "the reseller's contact, for assets that name none, as Google's")
    .option('--dry-run', 'say what the import would do, and store nothing')
    .option('--json', 'the report as JSON')
    .hook('preAction', oneWay)
    .action(withDatabase(importAssets))

  command('list', 'List imports, the newest first.', '--customer sunbird')
    .option('--customer <id>', 'id or domain of the customer; all customers if it is left out')
    .option('--json', 'as JSON')
    .action(withDatabase(listAllImports))

  command('show', 'Show what an import did, as it said then.', '20261122-4f3a9c1e')
    .argument('<id>', 'as the list has it')
    .option('--json', 'as JSON')
    .action(withDatabase(showImport))

  command(
    'undo',
    'Take back what an import of invoices did, unless something later builds on it.',
    '20261122-4f3a9c1e',
  )
    .argument('<id>', 'as the list has it')
    .action(withDatabase(undo))
}

/** Charges go to whom the map names, or to the one customer; not to both, and not to nobody. */
function oneOwner(_: Command, command: Command): void {
  const { customer, map } = command.opts()
  if ((customer === undefined) === (map === undefined))
    command.error(
      'error: give either --customer, whose all charges are, or --map, which leads each account to its own',
    )
}

/** Assets are one customer's, or each says whose it is. */
function oneWay(_: Command, command: Command): void {
  const { customer, byDomain } = command.opts()
  if ((customer === undefined) === (byDomain === undefined))
    command.error('error: give either --customer, whose all assets are, or --by-domain')
}

/** What holds for invoices, wherever they come from. */
function ofInvoices(command: Command): Command {
  return command
    .option('--dry-run', 'say what the import would do, and store nothing')
    .option(
      '--expect <figure>',
      'store nothing unless the files have it: "USD=1234.56" or "invoices=12"; once per currency',
      collectExpectation,
    )
    .option('--correct', 'void what is issued with other content, and put what the files have in its place')
    .option('--history', 'remind nobody of what is new: it is imported for the record')
    .option('--json', 'the report as JSON')
    .option('--replace', 'of assets only: see --correct')
}
