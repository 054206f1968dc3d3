import { type Command, InvalidArgumentError } from 'commander'
import { listMappings, mapGroup } from '#lib/identity/scim/groups.ts'
import { issueToken, listTokens, revokeToken } from '#lib/identity/scim/tokens.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { checkedText, collect, customerCommands, printsRows, rolesOf, withDatabase } from './command.ts'
import { operatorOf } from './licenses/operator.ts'
import { note, print } from './terminal.ts'

const ROLE = 'it-manager, finance-user or admin; may be given several times'

export function addScimCommands(scim: Command): void {
  const token = customerCommands(scim.command('token').description('What a directory proves itself by.'))
  token('issue', 'Issue a token, and print it.', '--customer sunbird --name "Entra ID"')
    .requiredOption('--name <name>', 'as the history shows it')
    .option('--role <role>', `${ROLE}: what it may give, IT Manager and Finance User unless told`, collect)
    .option('--days <n>', 'until it ends by itself; never, unless told', daysOf)
    .action(withDatabase(issue))
  token('revoke', 'Revoke a token, from the next request on.', '--customer sunbird --id 3f8f6f0e-…')
    .requiredOption('--id <id>', 'as the list shows it')
    .action(withDatabase(revoke))
  printsRows(token('list', "List a customer's tokens.", '--customer sunbird'), listTokens)

  const group = customerCommands(
    scim.command('group').description('What the groups of a directory give to their members.'),
  )
  group(
    'map',
    'Say what a group gives: its members have it at once, and a group that is not there yet is added. They see all billing profiles, unless some are given.',
    '--customer sunbird --name "Billing team" --role finance-user --profile default',
  )
    .requiredOption('--name <name>', 'as the directory calls it')
    .requiredOption('--role <role>', ROLE, collect)
    .option('--profile <id>', 'a billing profile; may be given several times', collect)
    .action(withDatabase(map))
  printsRows(group('list', 'List groups, and what each gives.', '--customer sunbird'), listMappings)
}

async function issue(options: { customer: string; name: string; role?: string[]; days?: number }) {
  const operator = await operatorOf(options.customer, ['admin'])
  const roles = rolesOf(options.role ?? ['it-manager', 'finance-user'])
  const request = { name: checkedText('name', options.name, 100), roles, days: options.days ?? null }
  const { id, secret } = await scope(operator, (tx) => issueToken(tx, operator, request, crypto.randomUUID()))
  print(secret)
  note(`Keep it now: it cannot be shown again. Its id is ${id}. The address is <BASE_URL>/scim/v2.`)
}

async function revoke({ customer, id }: { customer: string; id: string }) {
  const operator = await operatorOf(customer, ['admin'])
  const revokeIt = (tx: Transaction) => revokeToken(tx, operator, id, crypto.randomUUID())
  await scope(operator, revokeIt, { evenIfClosed: true })
  note(`The token ${id} opens nothing any longer.`)
}

async function map(options: { customer: string; name: string; role: string[]; profile?: string[] }) {
  const operator = await operatorOf(options.customer, ['admin'])
  const name = checkedText('name', options.name)
  const mapping = { name, roles: rolesOf(options.role), billingProfiles: options.profile ?? null }
  await scope(operator, (tx) => mapGroup(tx, operator, mapping, crypto.randomUUID()))
  note(`Members of ${name} have the roles ${mapping.roles.join(', ')}.`)
}

/** Parses a number of days from 1 to 3650, for commander. */
function daysOf(text: string): number {
  const days = Number(text)
  if (!/^\d{1,4}$/.test(text) || days < 1 || days > 3650)
    throw new InvalidArgumentError('Give a whole number of days, 1 to 3650.')
  return days
}
