import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { Problem } from '#lib/api/problem.ts'
import { env } from '#lib/env.ts'
import { platformTable } from '#lib/imports/focus/platforms.ts'
import { importAssetFile, importFocusFile, importInvoiceFile, type Run } from '#lib/imports/run.ts'
import { collect, customerNamed, withDatabase } from './command.ts'
import { customerCommands } from './customer-commands.ts'
import { progress } from './progress.ts'
import { interruption, note, print } from './terminal.ts'

type Common = { customer: string; replace?: boolean; correct?: boolean }
type Focus = Common & { platform?: string[]; dueDays: number; paid?: boolean }

const LEAVES = {
  replace: 'write over what is stored with other content',
  correct: 'void what is issued with other content, and put what the file has in its place',
}

export function addImportCommands(program: Command): void {
  const command = customerCommands(
    program,
    'import',
    'Bring in files, each whole or not at all. The same file again changes nothing.',
  )
  const of = (name: string, file: string, description: string, example: string) =>
    command(name, description, `${example} --customer sunbird`)
      .argument('<file>', `${file}, also gzipped; - is stdin`)
      .option(
        name === 'assets' ? '--replace' : '--correct',
        LEAVES[name === 'assets' ? 'replace' : 'correct'],
      )

  of(
    'focus',
    'a CSV file',
    'Make invoices of a FOCUS 1.0 to 1.3 cost and usage file.',
    'costs-2026-10.csv.gz',
  )
    .option(
      '--platform <pair>',
      'platform of a provider, as in "AWS=web-services"; may be given several times',
      collectPair,
    )
    .option('--due-days <days>', 'days from the invoice date to the due date', daysOf, 30)
    .option('--paid', 'nothing is left to pay')
    .action(withDatabase(importFocus))
  of(
    'assets',
    'a JSON or NDJSON file',
    "Import assets: our own JSON, or Google's subscriptions.",
    'assets.json',
  )
    .option('--reseller <email>', "the reseller's contact, for assets that name none, as Google's")
    .action(withDatabase(importAssets))
  of('invoices', 'a JSON or NDJSON file', 'Import invoices from our own JSON.', 'invoices.ndjson').action(
    withDatabase(importInvoices),
  )
}

async function importFocus(file: string, { platform, dueDays, paid = false, ...common }: Focus) {
  const terms = { platforms: platformTable(platform), dueDays, paid }
  await runImport('invoices', 'lines', file, common, (run) => importFocusFile(run, terms))
}

async function importInvoices(file: string, common: Common) {
  await runImport('invoices', 'invoices', file, common, importInvoiceFile)
}

async function importAssets(file: string, { reseller, ...common }: Common & { reseller?: string }) {
  if (reseller !== undefined && !z.email().max(254).safeParse(reseller).success)
    throw new Problem('invalid_request', `"${reseller}" is not an e-mail address.`)
  await runImport('assets', 'assets', file, common, (run) => importAssetFile(run, reseller))
}

type Counts = Record<string, number> & { unread?: number }

async function runImport(
  what: string,
  counted: string,
  file: string,
  { customer, replace = false, correct = false }: Common,
  run: (run: Run) => Promise<Counts>,
): Promise<void> {
  const { customerId } = await customerNamed(customer)
  const path = file === '-' ? file : resolve(env().callerDir, file)
  const display = progress(`${counted} read`)
  try {
    const { signal } = interruption
    const counts = await run({ customerId, file: path, replace, correct, onProgress: display.update, signal })
    display.end()
    const { unread, ...rest } = counts
    print(
      `${what}: ${Object.entries(rest)
        .map(([name, count]) => `${count} ${name}`)
        .join(', ')}`,
    )
    if (unread) note(`${unread} could not be read from their vendor yet; the next readings do it.`)
  } finally {
    display.end()
  }
}

function collectPair(pair: string, before?: string[]): string[] {
  try {
    platformTable([pair])
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
  return collect(pair, before)
}

function daysOf(text: string): number {
  const days = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (!(days <= 3650)) throw new InvalidArgumentError('Give whole days, 0 to 3650.')
  return days
}
