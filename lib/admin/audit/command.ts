import { once } from 'node:events'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { eventLines, eventsTable, newestEvents } from '#lib/identity/audit-events/export.ts'
import { KIND_NAMES } from '#lib/identity/audit-events/rules.ts'
import { csv } from '#lib/platform/files/csv.ts'
import { customerCommands, customerNamed, withDatabase } from '../command.ts'
import { createPrivateFile } from '../customers/secret-file.ts'
import { interruption, printJson, printRows } from '../terminal.ts'
import { pruneHistory } from './prune.ts'
import { exportChainHeads, verifyHistory } from './verify.ts'

export function addAuditCommands(parent: Command): void {
  const addCommand = customerCommands(parent)
  const all = (name: string, description: string, example: string) =>
    parent
      .command(name)
      .description(description)
      .option('--customer <id>', 'id or domain of the customer; without it: all of them')
      .addHelpText('after', `\nExample:\n  npm run -s admin -- audit ${name}${example}`)

  addCommand('list', 'List what happened, the newest first.', '--customer sunbird --kind sign-ins --most 20')
    .addOption(new Option('--kind <kind>', 'what it is about').choices(KIND_NAMES))
    .option('--most <number>', 'how many', numberOf, 50)
    .action(withDatabase(listNewest))
  addCommand(
    'export',
    'Print the whole history, newest first.',
    '--customer sunbird --format jsonl --to out/sunbird.jsonl',
  )
    .addOption(new Option('--format <format>', 'how').choices(['csv', 'jsonl']).default('csv'))
    .option('--to <file>', 'which is made for it, readable for you only; standard output if it is left out')
    .action(withDatabase(exportEvents))
  all('verify', 'Verify the chains, and name the first event that was tampered with.', ' --heads /mnt/heads')
    .option('--heads <path>', 'signed heads: a file, or a folder of them; AUDIT_HEADS_DIR if it is left out')
    .option('--public-key <key...>', 'who may have signed them; our own key if it is left out')
    .action(withDatabase(verifyHistory))
  all(
    'heads',
    'Print the signed heads of the chains as they are now, and keep them as the job does.',
    ' --customer sunbird',
  )
    .option('--public-key', 'print the key that they are verified with instead')
    .action(withDatabase(exportChainHeads))
  all('prune', 'Remove the months that are over, whole and of chains that verify.', ' --months 24')
    .option(
      '--months <number>',
      'how many are kept beside the present one; AUDIT_MONTHS if it is left out',
      months,
    )
    .option('--dry-run', 'say what would be removed')
    .action(withDatabase(pruneHistory))
}

function numberOf(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1 && number <= 10_000) return number
  throw new InvalidArgumentError('Give a whole number from 1 to 10000.')
}

function months(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 2 && number <= 1200) return number
  throw new InvalidArgumentError('Give a whole number from 2 to 1200.')
}

type Listed = { customer: string; kind?: string; most: number; json?: boolean }

async function listNewest({ customer, kind, most, json = false }: Listed): Promise<void> {
  const { customerId } = await customerNamed(customer)
  const events = await newestEvents(customerId, kind, most)
  if (json) printJson(events.map(({ event }) => event))
  else
    printRows(
      events.map(({ row: { at, action, subject, actorName, address, details } }) => ({
        ...{ at, action, subject, who: actorName, address, details: JSON.stringify(details) },
      })),
      {},
    )
}

type Exported = { customer: string; format: string; to?: string }

/** Exports events with their digests, so that the chain can be verified without the database. */
async function exportEvents({ customer, format, to }: Exported): Promise<void> {
  const { customerId } = await customerNamed(customer)
  const parts = format === 'csv' ? csv(eventsTable({ customerId }, {})) : eventLines({ customerId })
  const file = to === undefined ? undefined : await createPrivateFile(to)
  try {
    for await (const part of parts) await (file ? file.appendFile(part) : write(part))
    await file?.sync()
  } finally {
    await file?.close()
  }
}

/** Writes to standard output with backpressure, for output of any length. */
async function write(text: string): Promise<void> {
  interruption.signal.throwIfAborted()
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}
