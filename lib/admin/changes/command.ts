import { type Command, InvalidArgumentError, Option } from 'commander'
import { resendByHand, settleByHand } from '#lib/licenses/license-changes/by-hand.ts'
import { checkedText, withDatabase } from '../command.ts'
import { operatorFor } from '../licenses/operator.ts'
import { note } from '../terminal.ts'
import { notFound, ownerOf } from './owner.ts'
import { listChanges, showChange, type Where } from './show.ts'

type Reasoned = Where & { reason: string }
type Settling = Reasoned & { as: 'applied' | 'failed' }

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
  command(
    'resend',
    'Send a change again under its id, where its vendor gives a repeat one effect. Only what is unknown.',
    '5f0c6a1e-0b7e-4f43-9a4c-0d3c5a1f7a10 --reason "the customer is waiting, and the vendor shows the old total"',
  )
    .argument('<id>', 'its id')
    .requiredOption('--reason <text>', 'why; it stands in the history')
    .action(withDatabase(resendChange))
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

async function resendChange(id: string, { customer, reason: given }: Reasoned): Promise<void> {
  const operator = await operatorFor(await ownerOf(id, customer), ['it-manager'])
  if (!operator) throw notFound(id)
  const { change, sent } = await resendByHand(operator, id, checkedText('reason', given, 500))
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
