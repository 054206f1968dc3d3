import { type Command, InvalidArgumentError, Option } from 'commander'
import { DEFAULT_OVERLAP, OVERLAPS } from '#lib/identity/keys/rules.ts'
import { listKeys } from '#lib/identity/keys/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { collect, withDatabase } from '../command.ts'
import { customerCommands, printsRows } from '../customer-commands.ts'
import { issueKey } from './issue.ts'
import { revokeKeys, rotateKeys } from './of-ids.ts'

const IDS = 'their ids, as "keys list" has them; - reads them from standard input, one in a line'

export function addKeyCommands(parent: Command): void {
  const of = customerCommands(parent)

  of(
    'issue',
    'Issue a key that belongs to the customer and print it. It can not be shown again.',
    '--customer sunbird --name ERP --role finance-user --expires 90d',
  )
    .requiredOption('--name <name>', 'what it is for')
    .requiredOption('--role <role>', 'it-manager, finance-user or admin; may be given several times', collect)
    .option('--profile <id>', 'billing profile to which it is limited; may be given several times', collect)
    .option(
      '--address <network>',
      'network from which alone it can be used, such as 192.0.2.0/24; may be given several times',
      collect,
    )
    .option('--expires <time>', 'how long it is valid: 12h, 90d or 8w; never', hoursOf, hoursOf('90d'))
    .action(withDatabase(issueKey))
  printsRows(
    of('list', 'List the keys, the newest first; never the keys themselves.', '--customer sunbird --json'),
    readKeys,
  )
  of(
    'rotate',
    'Issue a key that follows another one, and print the id of the former and the key, in a line for each.',
    '--customer sunbird 6f1f0a52-5b0e-4f43-9a4c-0d3c5a1f7a10 --overlap 24h',
  )
    .argument('<id...>', IDS)
    .addOption(
      new Option('--overlap <time>', 'how long both can be used').choices(OVERLAPS).default(DEFAULT_OVERLAP),
    )
    .action(withDatabase(rotateKeys))
  of(
    'revoke',
    'Revoke keys from the next request on.',
    '--customer sunbird 6f1f0a52-5b0e-4f43-9a4c-0d3c5a1f7a10',
  )
    .argument('<id...>', IDS)
    .option('--following', 'also the keys that followed them by rotation: they go on otherwise')
    .action(withDatabase(revokeKeys))
}

/** More than any customer has: a list on a terminal has no pages. */
const ALL = 100_000

async function readKeys(tx: Transaction, customerId: CustomerId) {
  const keys = await listKeys(tx, customerId, { reach: 'all' }, ALL)
  return keys.map(({ prefix, lastFour, owner, issuerEmail, ...key }) => ({
    id: key.id,
    name: key.name,
    key: `${prefix}…${lastFour}`,
    status: key.status,
    owner: owner === 'CUSTOMER' ? 'customer' : issuerEmail,
    roles: key.roles,
    billingProfiles: key.billingProfiles,
    addresses: key.addresses,
    createdAt: key.createdAt,
    expiresAt: key.expiresAt,
    revokedAt: key.revokedAt,
    lastUsedAt: key.lastUsedAt,
    lastUsedAddress: key.lastUsedAddress,
    replacedBy: key.replacedBy,
  }))
}

const HOURS: Record<string, number> = { h: 1, d: 24, w: 168 }

/** Hours of `12h`, `90d` or `8w`; or `never`. */
function hoursOf(text: string): number | 'never' {
  if (text === 'never') return text
  const [, number = '', unit = ''] = /^(\d{1,5})([hdw])$/.exec(text) ?? []
  const hours = Number(number) * (HOURS[unit] ?? 0)
  if (hours < 1) throw new InvalidArgumentError('Give hours, days or weeks: 12h, 90d, 8w; or never.')
  return hours
}
