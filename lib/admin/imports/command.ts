import { randomUUID } from 'node:crypto'
import { type Command, InvalidArgumentError } from 'commander'
import { platformTable } from '#lib/imports/focus/platforms.ts'
import { validateTerms } from '#lib/imports/focus/terms.ts'
import { expectationsOf } from '#lib/imports/report/expectations.ts'
import { lockImports } from '#lib/imports/sessions/lock.ts'
import { undoImport } from '#lib/imports/undo.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { allowImportTimes } from '#lib/platform/db/plans.ts'
import { scopeOfMany } from '#lib/platform/db/scope.ts'
import { collect, withDatabase } from '../command.ts'
import { counted, interruption, note, print } from '../terminal.ts'
import { importAssets, importFocus, importInvoices } from './import.ts'
import { listAllImports, partsWith, showImport } from './list.ts'

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
  ofInvoices(focus)
    .hook('preAction', oneOwner)
    .hook('preAction', resellersPrices)
    .action(withDatabase(importFocus))

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
    .hook('preAction', requireOneOption)
    .action(withDatabase(importAssets))

  command('list', 'List imports, newest first.', '--customer sunbird')
    .option('--customer <id>', 'id or domain of the customer; all customers if it is left out')
    .action(withDatabase(listAllImports))

  command('show', 'Show what an import did, as it said then.', '20261122-4f3a9c1e')
    .argument('<id>', 'as the list has it')
    .action(withDatabase(showImport))

  command(
    'undo',
    'Take back what an import of invoices did, unless something later builds on it.',
    '20261122-4f3a9c1e',
  )
    .argument('<id>', 'as the list has it')
    .action(withDatabase(undo))
}

/** Requires one of the two options: charges belong to the customers of the map, or to one customer. */
function oneOwner(_: Command, command: Command): void {
  const { customer, map } = command.opts()
  if ((customer === undefined) === (map === undefined))
    command.error(
      'error: give either --customer, whose all charges are, or --map, which leads each account to its own',
    )
}

/** Requires prices with a reseller, and a reseller with prices. */
function resellersPrices(_: Command, command: Command): void {
  const [contradiction] = validateTerms(command.opts())
  if (contradiction) command.error(`error: ${contradiction.reason}`)
}

/** Requires one of the two options: assets belong to one customer, or each names its customer's domain. */
function requireOneOption(_: Command, command: Command): void {
  const { customer, byDomain } = command.opts()
  if ((customer === undefined) === (byDomain === undefined))
    command.error('error: give either --customer, whose all assets are, or --by-domain')
}

/** Adds the options of all imports of invoices. */
function ofInvoices(command: Command): Command {
  return command
    .option('--dry-run', 'say what the import would do, and store nothing')
    .option(
      '--expect <figure>',
      'store nothing unless the files have it: "USD=1234.56" or "invoices=12"; once per currency',
      collectExpectation,
    )
    .option('--correct', 'void what is issued with other content, and put what the files have in its place')
    .option('--same-issuer', 'two issuers that seem to bill the same are one; it is remembered')
    .option('--another-issuer', 'two issuers that seem to bill the same are two; it is remembered')
    .option(
      '--unattended',
      'run without questions: skip bills that another issuer may have sent already, and exit with 2',
    )
    .option('--history', 'send no notifications: the import is for the record')
    .option('--json', 'the report as JSON')
    .option('--replace', 'of assets only: see --correct')
}

/** Undoes an import for each customer that it was for, in one transaction. */
async function undo(id: string): Promise<void> {
  const customers = (await partsWith(id)).map(({ customerId }) => customerId).sort()
  if (customers.length === 0) throw new Problem('not_found', `There is no import "${id}".`)
  const { signal } = interruption
  const requestId = randomUUID()
  const done = await scopeOfMany(async (enter) => {
    const all = []
    for (const customerId of customers) {
      const onWait = (tries: number) => {
        if (tries === 1) note(`Another import for ${customerId} is waited for …`)
      }
      all.push(
        await enter(customerId, async (tx) => {
          await allowImportTimes(tx)
          await lockImports(tx, customerId, { signal, onWait })
          return undoImport(tx, customerId, id, requestId)
        }),
      )
    }
    signal.throwIfAborted()
    return all
  })
  const sum = (what: 'removed' | 'voided' | 'restored') => done.reduce((count, each) => count + each[what], 0)
  print(`Undone: ${sum('removed')} removed, ${sum('voided')} voided, ${sum('restored')} as before`)
  const charged = done.reduce((count, each) => count + (each.charged ?? 0), 0)
  // With its invoices, its charges go without saying.
  if (charged > 0 && sum('removed') + sum('voided') + sum('restored') === 0)
    note(`Its charges of ${counted(charged, 'invoice')} are gone; those before hold again.`)
  if (sum('voided') > 0) note('What the customer may have seen by now is voided, and not removed.')
  const issuers = [...new Set(done.flatMap((each) => each.issuers))]
  if (issuers.length > 0)
    note(
      `What it wrote down of ${issuers.join(', ')} (address, bank) stays: look at it by "issuers list", and change it by "issuers set".`,
    )
}

// Repeatable options, and their checks.

const MAX_TAGS = 20

/** Pairs of a provider and its platform. */
function collectPair(pair: string, before?: string[]): string[] {
  return collectOption(pair, before, platformTable)
}

/** Keys of tags. */
function collectTag(key: string, before: string[] = []): string[] {
  return collectOption(key, before, (keys) => {
    if (keys.length > MAX_TAGS) throw new Error(`Give at most ${MAX_TAGS} keys.`)
  })
}

/** Adds an expectation about the files. */
function collectExpectation(text: string, before?: string[]): string[] {
  return collectOption(text, before, expectationsOf)
}

/** Adds a value after a check of all values together. */
function collectOption(
  value: string,
  before: string[] | undefined,
  check: (values: string[]) => unknown,
): string[] {
  const values = collect(value, before)
  try {
    check(values)
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
  return values
}

/** Whole days. */
function daysOf(text: string): number {
  const days = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (!(days <= 3650)) throw new InvalidArgumentError('Enter whole days, from 0 to 3650.')
  return days
}
