import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { listBillingProfiles } from '#lib/identity/customers/billing-profiles.ts'
import * as operations from '#lib/identity/keys/operations.ts'
import { listKeys } from '#lib/identity/keys/operator.ts'
import { DEFAULT_OVERLAP, NAME_MAX, OVERLAPS, type Overlap } from '#lib/identity/keys/rules.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { checkedText, collect, customerCommands, printsRows, rolesOf, withDatabase } from './command.ts'
import { operatorOf } from './licenses/operator.ts'
import { note, print } from './terminal.ts'

const IDS = 'their ids, as "keys list" has them; - reads them from standard input, one in a line'

export function addKeyCommands(parent: Command): void {
  const addCommand = customerCommands(parent)

  addCommand(
    'issue',
    'Create a key that belongs to the customer and print it. It cannot be shown again.',
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
    addCommand(
      'list',
      'List the keys, the newest first; never the keys themselves.',
      '--customer sunbird --json',
    ),
    readKeys,
  )
  addCommand(
    'rotate',
    'Create a key that follows another one, and print the id of the former and the key, in a line for each.',
    '--customer sunbird 6f1f0a52-5b0e-4f43-9a4c-0d3c5a1f7a10 --overlap 24h',
  )
    .argument('<id...>', IDS)
    .addOption(
      new Option('--overlap <time>', 'how long both can be used').choices(OVERLAPS).default(DEFAULT_OVERLAP),
    )
    .action(withDatabase(rotateKeys))
  addCommand(
    'revoke',
    'Revoke keys from the next request on.',
    '--customer sunbird 6f1f0a52-5b0e-4f43-9a4c-0d3c5a1f7a10',
  )
    .argument('<id...>', IDS)
    .option('--following', 'also the keys that followed them by rotation: they go on otherwise')
    .action(withDatabase(revokeKeys))
}

async function readKeys(tx: Transaction, customerId: CustomerId) {
  const keys = await listKeys(tx, customerId)
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

type KeyOptions = {
  customer: string
  name: string
  role: string[]
  profile?: string[]
  address?: string[]
  expires: number | 'never'
}

/** Issues a key by the customer's own way, as one who has all of their roles and billing profiles. */
async function issueKey({
  customer,
  role,
  profile,
  address,
  expires,
  ...options
}: KeyOptions): Promise<void> {
  const operator = await operatorOf(customer, ['admin'])
  const profiles = await readScope(operator, (tx) => listBillingProfiles(tx, operator.customerId))
  const caller = { ...operator, billingProfiles: profiles.map(({ id }) => id) }
  const body = {
    name: checkedText('name', options.name, NAME_MAX),
    roles: rolesOf(role),
    ...(profile ? { billingProfiles: profile } : {}),
    ...(address ? { addresses: address } : {}),
    owner: 'CUSTOMER' as const,
    validDays: expires === 'never' ? null : expires / 24,
  }
  const input = { params: {}, query: {}, body }
  const { body: issued } = await operations.issueKey(caller, input, { requestId: randomUUID() })
  print(issued.secret)
  note(`Keep it now: it cannot be shown again. Its id is ${issued.key.id}.`)
}

/** Issues a successor for each of these keys, and prints the former's id with the new key. */
async function rotateKeys(
  args: string[],
  { customer, overlap }: { customer: string; overlap: Overlap },
): Promise<void> {
  await forEachKey(args, customer, async (caller, id) => {
    const input = { params: { key_id: id }, query: {}, body: { overlap } }
    const { body } = await operations.rotateKey(caller, input, { requestId: randomUUID() })
    print(`${id}\t${body.secret}`)
  })
}

/** Revokes these keys; an already revoked one stays so. With `following` also revokes their successors. */
async function revokeKeys(
  args: string[],
  { customer, following = false }: { customer: string; following?: boolean },
): Promise<void> {
  await forEachKey(args, customer, async (caller, id) => {
    const query = following ? { following: 'true' as const } : {}
    const input = { params: { key_id: id }, query, body: {} }
    const { goesOn } = (await operations.revokeKey(caller, input, { requestId: randomUUID() })).body
    note(`${id} is revoked.${goesOn ? ` The key ${goesOn}, which followed it, goes on.` : ''}`)
  })
}

/**
 * Runs the work for each key in a transaction of its own: a refusal does not stop the others.
 * @throws Problem at the end, where any was refused
 */
async function forEachKey(
  args: readonly string[],
  customer: string,
  work: (caller: Caller, id: string) => Promise<void>,
): Promise<void> {
  const caller = await operatorOf(customer, ['admin'])
  const errors: string[] = []
  let count = 0
  for await (const id of idsOf(args)) {
    count += 1
    await work(caller, id).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error
      errors.push(errorText(caller, id, error))
    })
  }
  if (count === 0) throw new Problem('invalid_request', 'There is no id on standard input.')
  if (errors.length > 0) throw new Problem('invalid_request', errors.join('\n'))
}

function errorText({ customerName }: Caller, id: string, { code, message }: Problem): string {
  return code === 'not_found' ? `${customerName} has no key with the id ${id}.` : `${id}: ${message}`
}

async function* idsOf(args: readonly string[]): AsyncGenerator<string, void, undefined> {
  for (const arg of args) {
    if (arg !== '-') yield arg
    else
      for await (const line of createInterface({ input: process.stdin })) if (line.trim()) yield line.trim()
  }
}
