import type { Command } from 'commander'
import type { changeMember as contract } from '#lib/identity/members/contract.ts'
import { changeMember } from '#lib/identity/members/operations.ts'
import { allMembers } from '#lib/identity/members/store/read.ts'
import { resetFactors } from '#lib/identity/second-factors/operations.ts'
import type { Input } from '#lib/platform/api/contract.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { collect, rolesOf, withDatabase } from '../command.ts'
import { customerCommands, printsRows } from '../customer-commands.ts'
import { forEachOf, linesOrWord } from '../lines.ts'
import { note } from '../terminal.ts'
import { addMember, reset } from './links.ts'
import { idOf, type Named, operatorOf } from './named.ts'

export function addMemberCommands(parent: Command): void {
  const of = customerCommands(parent)
  const one = (name: string, description: string, example: string) =>
    of(name, description, `--customer sunbird --email ana@sunbird.example${example}`).requiredOption(
      '--email <email>',
      "the member's address",
    )
  const withRoles = (command: Command) =>
    command.requiredOption(
      '--role <role>',
      'it-manager, finance-user or admin; may be given several times',
      collect,
    )
  const withProfiles = (command: Command) =>
    command.option('--profile <id>', 'a billing profile; may be given several times', collect)
  const ofLink = (command: Command) =>
    command.option('--mail', 'mail the link to the member instead of printing it, by the server of SMTP_URL')

  const add = one(
    'add',
    'Add a member, and print the link with which they choose a password: once, within 7 days. They see all billing profiles, unless some are given.',
    ' --name "Ana Ruiz" --role it-manager',
  ).requiredOption('--name <name>', 'as the console shows it')
  withProfiles(withRoles(ofLink(add))).action(withDatabase(addMember))
  ofLink(
    one(
      'reset',
      'Print a link with which a member sets a new password, once, within 30 minutes; or who has not come yet accepts, within 7 days.',
      ' --mail',
    ),
  ).action(withDatabase(reset))
  withRoles(
    one('set-roles', "Set all of a member's roles.", ' --role finance-user --role it-manager'),
  ).action(withDatabase(setRoles))
  withProfiles(
    one('set-profiles', 'Limit a member to billing profiles, or let them see all.', ' --profile default'),
  )
    .option('--all', 'all of them, also those that are added later')
    .action(withDatabase(setProfiles))
  one(
    'disable',
    'Shut a member out from the next request on, with the keys they issued; with --email -, those whose addresses are on standard input, one in a line.',
    '',
  ).action(withDatabase((given: Named) => setAllDisabled(given, true)))
  one(
    'enable',
    'Let a disabled member sign in again; with --email -, those whose addresses are on standard input.',
    '',
  ).action(withDatabase((given: Named) => setAllDisabled(given, false)))
  one(
    'reset-factor',
    'Take away the second factors of a member who has lost them: wherever they are a member. They are told by mail.',
    '',
  ).action(withDatabase(resetFactor))
  printsRows(of('list', "List a customer's members.", '--customer sunbird'), allMembers)
}

async function setRoles(given: Named & { role: string[] }): Promise<void> {
  const { roles } = await change(given, { roles: rolesOf(given.role) })
  note(`${given.email} has the roles ${roles.join(', ')}.`)
}

async function setProfiles(given: Named & { profile?: string[]; all?: boolean }): Promise<void> {
  const { profile, all = false } = given
  if ((profile === undefined) === !all)
    throw new Problem('invalid_request', 'Give the billing profiles, each with --profile, or --all.')
  const { billingProfiles } = await change(given, { billingProfiles: profile ?? null })
  note(`${given.email} sees ${billingProfiles?.join(', ') ?? 'all billing profiles'}.`)
}

async function setAllDisabled(given: Named, disabled: boolean): Promise<void> {
  await forEachOf(await linesOrWord(given.email), (email) => setDisabled({ ...given, email }, disabled))
}

async function setDisabled(given: Named, disabled: boolean): Promise<void> {
  await change(given, { disabled })
  note(`${given.email} is ${disabled ? 'disabled' : 'enabled'}.`)
}

async function resetFactor(given: Named): Promise<void> {
  const operator = await operatorOf(given)
  const id = await readScope(operator, (tx) => idOf(tx, operator, given))
  const input = { params: { member_id: id }, query: {}, body: {} }
  await resetFactors(operator, input, { requestId: crypto.randomUUID() })
  note(`${given.email} has no second factor any more.`)
}

/** The same operation as that of screen and API, with the operator as caller. */
async function change(given: Named, wanted: Input<typeof contract>['body']) {
  const operator = await operatorOf(given)
  const id = await readScope(operator, (tx) => idOf(tx, operator, given))
  const input = { params: { member_id: id }, query: {}, body: wanted }
  return (await changeMember(operator, input, { requestId: crypto.randomUUID() })).body
}
