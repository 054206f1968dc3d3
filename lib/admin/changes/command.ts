import { type Command, InvalidArgumentError, Option } from 'commander'
import { unsettledChanges } from '#lib/access/due-work.ts'
import type { CustomerId } from '#lib/access/rules.ts'
import { Problem } from '#lib/api/problem.ts'
import { scope } from '#lib/db/scope.ts'
import { auditOf } from '#lib/history/audit.ts'
import { isOpen } from '#lib/license-changes/rules.ts'
import { settleByHand } from '#lib/license-changes/settling/by-hand.ts'
import { attemptsOf } from '#lib/license-changes/store/attempts.ts'
import { readChange } from '#lib/license-changes/store/find.ts'
import type { Change } from '#lib/license-changes/store/transitions.ts'
import { checkedText, customerNamed, withDatabase } from '../command.ts'
import { type Cell, printRows } from '../table.ts'
import { note, print } from '../terminal.ts'

type Where = { customer?: string }
type Listing = Where & { open?: boolean; unclear?: boolean; olderThan?: number; json?: boolean }
type Settling = Where & { as: 'applied' | 'failed'; reason: string }

export function addChangeCommands(program: Command): void {
  const parent = program
    .command('changes')
    .description('Changes of licenses that wait for a person, of all customers.')
  const command = (name: string, description: string, example: string) =>
    parent
      .command(name)
      .description(description)
      .option('--customer <id>', 'id or domain of the customer')
      .addHelpText('after', `\nExample:\n  npm run -s admin -- changes ${name} ${example}`)

  command('list', 'List the changes that are open or unclear, the oldest first.', '--older-than 1h')
    .option('--open', 'only those that are open: it is still to come what becomes of them')
    .option('--unclear', 'only those of which no read can tell any more what became of them')
    .option('--older-than <time>', 'asked for longer ago than 30m, 12h or 7d', millisecondsOf)
    .option('--json', 'as JSON')
    .action(withDatabase(listChanges))
  command(
    'show',
    'Show a change, each call to its vendor, and its history. Give the customer where it is settled.',
    '5f0c6a1e-0b7e-4f43-9a4c-0d3c5a1f7a10',
  )
    .argument('<id>', 'its id')
    .action(withDatabase(showChange))
  command(
    'settle',
    'Settle a change by your word: after a look at the vendor. Only what is unclear, or open for too long.',
    '5f0c6a1e-0b7e-4f43-9a4c-0d3c5a1f7a10 --as applied --reason "seen in the Admin console"',
  )
    .argument('<id>', 'its id')
    .addOption(
      new Option('--as <outcome>', 'what became of it').choices(['applied', 'failed']).makeOptionMandatory(),
    )
    .requiredOption('--reason <text>', 'how you know; the customer reads it')
    .action(withDatabase(settleChange))
}

async function listChanges({ customer, open, unclear, olderThan = 0, json = false }: Listing): Promise<void> {
  const only = customer === undefined ? undefined : (await customerNamed(customer)).customerId
  const rows: (Record<string, Cell> & { since: Date })[] = []
  for (const { customerId, changeId } of await unsettledChanges(only)) {
    const change = await scope({ customerId }, (tx) => readChange(tx, customerId, changeId))
    if (!change || Date.now() - change.createdAt.getTime() < olderThan) continue
    const isWanted = open === unclear || (isOpen(change.state) ? open : unclear)
    if (isWanted) rows.push(rowOf(customerId, change))
  }
  printRows(
    rows.sort((a, b) => a.since.getTime() - b.since.getTime()),
    { json },
  )
}

function rowOf(customer: CustomerId, change: Change) {
  const {
    id,
    assetId: asset,
    fromQuantity: from,
    toQuantity: to,
    state,
    createdAt: since,
    actorName,
  } = change
  return { id, customer, asset, from: String(from), to: String(to), state, since, by: actorName }
}

async function showChange(id: string, { customer }: Where): Promise<void> {
  const customerId = await ownerOf(id, customer)
  const { change, attempts, events } = await scope({ customerId }, async (tx) => ({
    change: await readChange(tx, customerId, id),
    attempts: await attemptsOf(tx, customerId, id),
    events: await auditOf(tx, customerId, id),
  }))
  if (!change) throw notFound(id)
  printRows([rowOf(customerId, change)], {})
  if (change.vendorReason !== null) print(`\n${change.vendorReason}`)
  if (attempts.length > 0) print('\nCalls to the vendor:')
  printRows(
    attempts.map(({ number, at, quantity, kind, tookMs, vendorRequestId, reason }) => ({
      call: String(number),
      at,
      total: String(quantity),
      answer: kind,
      took: tookMs === null ? null : `${tookMs} ms`,
      'vendor’s id': vendorRequestId,
      reason,
    })),
    {},
  )
  print('\nHistory:')
  printRows(
    events.map(({ at, action, actorName, requestId }) => ({ at, action, by: actorName, request: requestId })),
    {},
  )
}

async function settleChange(id: string, { customer, as, reason: given }: Settling): Promise<void> {
  const customerId = await ownerOf(id, customer)
  const reason = checkedText('reason', given, 500)
  const { assetId, fromQuantity, toQuantity } = await settleByHand(customerId, id, {
    as: as === 'applied' ? 'APPLIED' : 'FAILED',
    reason,
  })
  note(`${id} is settled as ${as}: ${assetId}, ${fromQuantity} to ${toQuantity}.`)
}

/** Whose change it is: those that wait for a person are found without being told. */
async function ownerOf(id: string, customer: string | undefined): Promise<CustomerId> {
  if (customer !== undefined) return (await customerNamed(customer)).customerId
  const found = (await unsettledChanges()).find(({ changeId }) => changeId === id)
  if (!found) throw notFound(id)
  return found.customerId
}

function notFound(id: string): Problem {
  return new Problem(
    'not_found',
    `No change ${id} waits for a person. For one that is settled, give --customer.`,
  )
}

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of `30m`, `12h` or `7d`. */
function millisecondsOf(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  const ms = Number(number) * (UNITS[unit] ?? 0)
  if (!(ms > 0)) throw new InvalidArgumentError('Give minutes, hours or days: 30m, 12h, 7d.')
  return ms
}
