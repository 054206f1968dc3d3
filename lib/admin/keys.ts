import { type Command, InvalidArgumentError } from 'commander'
import { newApiKey } from '#lib/access/api-key.ts'
import * as directory from '#lib/access/directory.ts'
import type { CustomerId } from '#lib/access/rules.ts'
import { Problem } from '#lib/api/problem.ts'
import type { Transaction } from '#lib/db/client.ts'
import { scope } from '#lib/db/scope.ts'
import { checkedText, collect, customerNamed, recordDeed, rolesOf, withDatabase } from './command.ts'
import { customerCommands, printsRows } from './customer-commands.ts'
import { note, print } from './terminal.ts'

export function addKeyCommands(parent: Command): void {
  const of = customerCommands(parent)

  of(
    'issue',
    'Issue a key and print it. It can not be shown again.',
    '--customer sunbird --name ERP --role finance-user --expires 90d',
  )
    .requiredOption('--name <name>', 'what it is for')
    .requiredOption('--role <role>', 'it-manager, finance-user or admin; may be given several times', collect)
    .option('--expires <time>', 'how long it is valid: 12h, 90d or 8w; for ever if it is left out', hoursOf)
    .action(withDatabase(issueKey))
  printsRows(
    of('list', 'List the keys, the newest first; never the keys themselves.', '--customer sunbird --json'),
    readKeys,
  )
  of(
    'revoke',
    'Revoke a key from the next request on.',
    '--customer sunbird 6f1f0a52-5b0e-4f43-9a4c-0d3c5a1f7a10',
  )
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

async function readKeys(tx: Transaction, customerId: CustomerId) {
  const keys = await directory.listKeys(tx, customerId)
  return keys.map(({ id, name, prefix, lastFour, roles, ...times }) => {
    const { createdAt, expiresAt, revokedAt, lastUsedAt } = times
    return { id, name, key: `${prefix}…${lastFour}`, roles, createdAt, expiresAt, revokedAt, lastUsedAt }
  })
}

async function revokeKey(id: string, { customer }: { customer: string }): Promise<void> {
  const { customerId, name } = await customerNamed(customer)
  const revoked = await scope({ customerId }, async (tx) => {
    const done = await directory.revokeKey(tx, customerId, id)
    if (done === 'revoked') await recordDeed(tx, customerId, 'key.revoked', id)
    return done
  })
  if (!revoked) throw new Problem('not_found', `${name} has no key with the id ${id}.`)
  note(revoked === 'revoked' ? `${id} is revoked.` : `${id} was revoked before.`)
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
