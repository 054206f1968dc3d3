import { type Command, InvalidArgumentError } from 'commander'
import { newApiKey } from '#lib/access/api-key.ts'
import * as directory from '#lib/access/directory.ts'
import { Problem } from '#lib/api/problem.ts'
import { scope } from '#lib/db/scope.ts'
import { checkedText, collect, customerNamed, recordDeed, rolesOf, withDatabase } from './session.ts'
import { printRows } from './table.ts'
import { note, print } from './terminal.ts'

export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('API keys of a customer.')
  const of = (name: string, description: string, example: string) =>
    keys
      .command(name)
      .description(description)
      .requiredOption('--customer <id>', 'id or domain of the customer')
      .addHelpText('after', `\nExample:\n  npm run -s admin -- keys ${name} --customer sunbird ${example}`)

  of(
    'issue',
    'Issue a key and print it. It can not be shown again.',
    '--name ERP --role finance-user --expires 90d',
  )
    .requiredOption('--name <name>', 'what it is for')
    .requiredOption('--role <role>', 'it-manager, finance-user or admin; may be given several times', collect)
    .option('--expires <time>', 'how long it is valid: 12h, 90d or 8w; for ever if it is left out', hoursOf)
    .action(withDatabase(issueKey))
  of('list', 'List the keys, the newest first; never the keys themselves.', '--json')
    .option('--json', 'as JSON')
    .action(withDatabase(showKeys))
  of('revoke', 'Revoke a key from the next request on.', '6f1f0a52-5b0e-4f43-9a4c-0d3c5a1f7a10')
    .argument('<id>', 'its id, as "keys list" has it')
    .action(withDatabase(revokeKey))
}

type NewKey = { customer: string; name: string; role: string[]; expires?: number }

async function issueKey({ customer, name: given, role, expires }: NewKey): Promise<void> {
  const { customerId } = await customerNamed(customer)
  const name = checkedText('name', given)
  const roles = rolesOf(role)
  const key = newApiKey()
  const id = await scope({ customerId }, async (tx) => {
    const added = await directory.addKey(tx, customerId, key, { name, roles, validHours: expires })
    await recordDeed(tx, customerId, 'key.issued', added, { name, roles, validHours: expires ?? null })
    return added
  })
  print(key)
  note(`Keep it now: it can not be shown again. Its id is ${id}.`)
}

async function showKeys(options: { customer: string; json?: boolean }): Promise<void> {
  const { customerId } = await customerNamed(options.customer)
  const keys = await scope({ customerId }, (tx) => directory.listKeys(tx, customerId))
  const rows = keys.map(({ id, name, prefix, lastFour, roles, ...times }) => {
    const { createdAt, expiresAt, revokedAt, lastUsedAt } = times
    return { id, name, key: `${prefix}…${lastFour}`, roles, createdAt, expiresAt, revokedAt, lastUsedAt }
  })
  printRows(rows, options)
}

async function revokeKey(id: string, { customer }: { customer: string }): Promise<void> {
  const { customerId, name } = await customerNamed(customer)
  const outcome = await scope({ customerId }, async (tx) => {
    const revoked = await directory.revokeKey(tx, customerId, id)
    if (revoked === 'revoked') await recordDeed(tx, customerId, 'key.revoked', id)
    return revoked
  })
  if (!outcome) throw new Problem('not_found', `${name} has no key with the id ${id}.`)
  note(outcome === 'revoked' ? `${id} is revoked.` : `${id} was revoked before.`)
}

const HOURS: Record<string, number> = { h: 1, d: 24, w: 168 }
const MOST_HOURS = 10 * 366 * 24

/** Hours of `12h`, `90d` or `8w`. */
function hoursOf(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,5})([hdw])$/.exec(text) ?? []
  const hours = Number(number) * (HOURS[unit] ?? 0)
  if (hours < 1 || hours > MOST_HOURS)
    throw new InvalidArgumentError('Give hours, days or weeks: 12h, 90d, 8w.')
  return hours
}
