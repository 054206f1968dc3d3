import { type Command, InvalidArgumentError, Option } from 'commander'
import { openChanges } from '#lib/identity/access/due-work.ts'
import {
  readRecord,
  readUnresolved,
  resendByHand,
  resolveByHand,
  type UnresolvedChange,
} from '#lib/licenses/license-changes/settle-by-hand.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { checkedText, customerNamed, withDatabase } from './command.ts'
import { operatorFor } from './licenses/operator.ts'
import { type Cell, note, print, printJson, printRows } from './terminal.ts'

type Reasoned = Where & { reason: string }
type ReconcileOptions = Reasoned & { as: 'applied' | 'failed' }

export function addChangeCommands(parent: Command): void {
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
    .action(withDatabase(reconcileChange))
  command(
    'resend',
    'Send a change again under its id, where its vendor gives a repeat one effect. Only what is unknown.',
    '5f0c6a1e-0b7e-4f43-9a4c-0d3c5a1f7a10 --reason "the customer is waiting, and the vendor shows the old total"',
  )
    .argument('<id>', 'its id')
    .requiredOption('--reason <text>', 'reason, shown in the history')
    .action(withDatabase(resendChange))
}

async function reconcileChange(id: string, { customer, as, reason: text }: ReconcileOptions): Promise<void> {
  const customerId = await ownerOf(id, customer)
  const reason = checkedText('reason', text, 500)
  const { assetId, fromQuantity, toQuantity } = await resolveByHand(customerId, id, {
    as: as === 'applied' ? 'APPLIED' : 'FAILED',
    reason,
  })
  note(`${id} is settled as ${as}: ${assetId}, ${fromQuantity} to ${toQuantity}.`)
}

async function resendChange(id: string, { customer, reason: text }: Reasoned): Promise<void> {
  const operator = await operatorFor(await ownerOf(id, customer), ['it-manager'])
  if (!operator) throw unknownChange(id)
  const { change, sent } = await resendByHand(operator, id, checkedText('reason', text, 500))
  const { assetId, fromQuantity, toQuantity, state, vendorReason } = change
  const what = `${assetId}, ${fromQuantity} to ${toQuantity}`
  const how = sent ? 'was sent again' : 'was not sent again, and need not be'
  note(`${id} ${how}: it is ${state} now (${what}).`)
  if (vendorReason !== null) note(vendorReason)
}

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of `30m`, `12h` or `7d`. */
function millisecondsOf(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  const ms = Number(number) * (UNITS[unit] ?? 0)
  if (!(ms > 0)) throw new InvalidArgumentError('Give minutes, hours or days: 30m, 12h, 7d.')
  return ms
}

type Where = { customer?: string }
export type Listing = Where & { open?: boolean; unclear?: boolean; olderThan?: number; json?: boolean }

/** Prints the changes that wait for their vendor or for a person. */
async function listChanges({ customer, open, unclear, olderThan = 0, json = false }: Listing): Promise<void> {
  const only = customer === undefined ? undefined : (await customerNamed(customer)).customerId
  const rows: (Record<string, Cell> & { since: Date })[] = []
  for (const due of await openChanges(only)) {
    const changes = await readUnresolved(due)
    if (!changes || changes.age < olderThan) continue
    const isSelected = open === unclear || (changes.isOpen ? open : unclear)
    if (isSelected) rows.push(rowOf(due.customerId, changes))
  }
  rows.sort((a, b) => a.since.getTime() - b.since.getTime())
  printRows(rows, { json })
  if (rows.length === 0) note('No such change waits for its vendor or for a person.')
}

function rowOf(customer: CustomerId, { change, location }: Pick<UnresolvedChange, 'change' | 'location'>) {
  const { vendor = null, vendorAccount: account = null } = location ?? {}
  const {
    id,
    assetId: asset,
    fromQuantity: from,
    toQuantity: to,
    state,
    createdAt: since,
    actorName: by,
    acknowledgedAt: checked,
  } = change
  return {
    id,
    customer,
    asset,
    vendor,
    account,
    from: String(from),
    to: String(to),
    state,
    since,
    by,
    checked,
  }
}

/** Prints one change with all details. */
async function showChange(id: string, { customer, json }: Where & { json?: boolean }): Promise<void> {
  const customerId = await ownerOf(id, customer)
  const record = await readRecord(customerId, id)
  if (!record) throw unknownChange(id)
  const { change, location, attempts, events } = record
  if (json) {
    const calls = attempts.map(({ number: call, actorName: by, quantity: total, kind: answer, ...rest }) => ({
      ...{ call, by, total, answer },
      ...rest,
    }))
    return printJson({
      change: rowOf(customerId, record),
      location,
      reason: change.vendorReason,
      calls,
      events,
    })
  }
  printRows([rowOf(customerId, record)], {})
  if (location) {
    const { vendorCustomerId, subscriptionId, skuId } = location
    print(`\nAt the vendor: customer ${vendorCustomerId}, subscription ${subscriptionId}, SKU ${skuId}`)
  }
  if (change.vendorReason !== null) print(`\n${change.vendorReason}`)
  if (attempts.length > 0) print('\nCalls to the vendor:')
  printRows(
    attempts.map(({ number, at, actorName, quantity, kind, tookMs, vendorRequestId, reason }) => ({
      call: String(number),
      'at (UTC)': secondOf(at),
      by: actorName,
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
    events.map(({ at, action, actorName: by, requestId: request, reason }) => ({
      'at (UTC)': secondOf(at),
      action,
      by,
      request,
      reason,
    })),
    {},
  )
}

/** Formats a time with seconds: several events may occur within a minute. */
function secondOf(at: Date): string {
  return at.toISOString().slice(0, 19).replace('T', ' ')
}

/** Returns the customer of a change: unresolved changes are found without the option. */
async function ownerOf(id: string, customer: string | undefined): Promise<CustomerId> {
  if (customer !== undefined) return (await customerNamed(customer)).customerId
  const match = (await openChanges()).find(({ changeId }) => changeId === id)
  if (!match) throw unknownChange(id)
  return match.customerId
}

function unknownChange(id: string): Problem {
  return new Problem(
    'not_found',
    `No change ${id} is waiting for a decision. For a completed change, add --customer.`,
  )
}
