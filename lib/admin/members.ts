import type { Command } from 'commander'
import { z } from 'zod'
import * as directory from '#lib/access/directory.ts'
import type { CustomerId } from '#lib/access/rules.ts'
import { Problem } from '#lib/api/problem.ts'
import type { Transaction } from '#lib/db/client.ts'
import { scope } from '#lib/db/scope.ts'
import {
  checkedText,
  collect,
  customerNamed,
  orDuplicate,
  recordDeed,
  rolesOf,
  withDatabase,
} from './command.ts'
import { customerCommands, printsRows } from './customer-commands.ts'
import { forEachOf, linesOrWord } from './lines.ts'
import { checkMail, type Mailed, makeLink, tell } from './links.ts'
import { note } from './terminal.ts'

type Named = { customer: string; email: string }

export function addMemberCommands(parent: Command): void {
  const of = customerCommands(parent)
  const one = (name: string, description: string, example: string) =>
    of(name, description, `--customer sunbird --email ana@sunbird.example${example}`).requiredOption(
      '--email <email>',
      "the member's address",
    )

  const ofLink = (command: Command) =>
    command.option('--mail', 'mail the link to the member instead of printing it, by the server of SMTP_URL')

  ofLink(
    one(
      'add',
      'Add a member, and print the link with which they choose a password: once, within 7 days.',
      ' --name "Ana Ruiz" --role it-manager',
    ),
  )
    .requiredOption('--name <name>', 'as the console shows it')
    .requiredOption('--role <role>', 'it-manager, finance-user or admin; may be given several times', collect)
    .action(withDatabase(addMember))
  ofLink(
    one(
      'reset',
      'Print a link with which a member sets a new password, once, within 30 minutes; or who has not come yet accepts, within 7 days.',
      ' --mail',
    ),
  ).action(withDatabase(reset))
  one('set-roles', "Set all of a member's roles.", ' --role finance-user --role it-manager')
    .requiredOption('--role <role>', 'it-manager, finance-user or admin; may be given several times', collect)
    .action(withDatabase(setRoles))
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
  printsRows(of('list', "List a customer's members.", '--customer sunbird'), readMembers)
}

type Linked = Named & Mailed
type NewMember = Linked & { name: string; role: string[] }

async function addMember(given: NewMember): Promise<void> {
  checkMail(given)
  const { customerId } = await customerNamed(given.customer)
  const email = given.email.trim()
  if (!z.email().max(254).safeParse(email).success)
    throw new Problem('invalid_request', `"${given.email}" is not an e-mail address.`)
  const name = checkedText('name', given.name)
  const roles = rolesOf(given.role)
  const add = scope({ customerId }, async (tx) => {
    const id = await directory.addMember(tx, customerId, { email, name, roles })
    await recordDeed(tx, customerId, 'member.added', id, { email, name, roles })
    return makeLink(tx, customerId, { id, email, invitedAt: new Date() }, given)
  })
  tell(await orDuplicate(add, { members_own_email: `There is a member with the address ${email} already.` }))
}

async function reset(given: Linked): Promise<void> {
  checkMail(given)
  tell(
    await changeMember(given, async (tx, customerId, member) => {
      if (member.disabledAt !== null)
        throw new Problem('invalid_request', `${member.email} is disabled. Enable them first.`)
      return makeLink(tx, customerId, member, given)
    }),
  )
}

async function setRoles(given: Named & { role: string[] }): Promise<void> {
  const roles = rolesOf(given.role)
  await changeMember(given, async (tx, customerId, { id, email, roles: before }) => {
    await directory.setRoles(tx, customerId, id, roles)
    await recordDeed(tx, customerId, 'member.roles-set', id, { email, from: before, to: roles })
  })
  note(`${given.email} has the roles ${roles.join(', ')}.`)
}

async function setAllDisabled(given: Named, disabled: boolean): Promise<void> {
  await forEachOf(await linesOrWord(given.email), (email) => setDisabled({ ...given, email }, disabled))
}

async function setDisabled(given: Named, disabled: boolean): Promise<void> {
  const change: Change<void> = async (tx, customerId, { id, email, disabledAt }) => {
    if ((disabledAt !== null) === disabled) return
    await directory.setDisabled(tx, customerId, id, disabled)
    await recordDeed(tx, customerId, disabled ? 'member.disabled' : 'member.enabled', id, { email })
  }
  // Whoever reads what is closed can be shut out, too.
  await changeMember(given, change, { evenIfClosed: disabled })
  note(`${given.email} is ${disabled ? 'disabled' : 'enabled'}.`)
}

async function readMembers(tx: Transaction, customerId: CustomerId) {
  const members = await directory.listMembers(tx, customerId)
  return members.map(({ email, name, roles, invitedAt, disabledAt, id }) => ({
    ...{ email, name, roles, invitedAt, disabledAt, id },
  }))
}

type Change<T> = (tx: Transaction, customerId: CustomerId, member: directory.MemberRow) => Promise<T>

async function changeMember<T>(
  { customer, email }: Named,
  change: Change<T>,
  how: { evenIfClosed?: boolean } = {},
): Promise<T> {
  const { customerId, name } = await customerNamed(customer)
  const work = async (tx: Transaction) => {
    const member = await directory.readMember(tx, customerId, email.trim())
    if (!member) throw new Problem('not_found', `${name} has no member with the address ${email}.`)
    return change(tx, customerId, member)
  }
  return scope({ customerId }, work, how)
}
