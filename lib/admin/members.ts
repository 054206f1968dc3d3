import type { Command } from 'commander'
import { z } from 'zod'
import * as directory from '#lib/access/directory.ts'
import { hashPassword, readPasswordHash, setPasswordHash } from '#lib/access/password.ts'
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
import { newPassword } from './password.ts'
import { note, print } from './terminal.ts'

type Named = { customer: string; email: string }

export function addMemberCommands(parent: Command): void {
  const of = customerCommands(parent)
  const one = (name: string, description: string, example: string) =>
    of(name, description, `--customer sunbird --email ana@sunbird.example${example}`).requiredOption(
      '--email <email>',
      "the member's address",
    )

  one(
    'add',
    'Add a member. The password is asked for on the terminal.',
    ' --name "Ana Ruiz" --role it-manager',
  )
    .requiredOption('--name <name>', 'as the console shows it')
    .requiredOption('--role <role>', 'it-manager, finance-user or admin; may be given several times', collect)
    .option('--password-stdin', 'read the password from stdin')
    .action(withDatabase(addMember))
  one('set-password', "Set a member's password and end their sessions.", ' --password-stdin < password.txt')
    .option('--password-stdin', 'read the password from stdin')
    .action(withDatabase(setPassword))
  one('set-roles', "Set all of a member's roles.", ' --role finance-user --role it-manager')
    .requiredOption('--role <role>', 'it-manager, finance-user or admin; may be given several times', collect)
    .action(withDatabase(setRoles))
  one('disable', 'Shut a member out from the next request on, with the keys they issued.', '').action(
    withDatabase((given: Named) => setDisabled(given, true)),
  )
  one('enable', 'Let a disabled member sign in again.', '').action(
    withDatabase((given: Named) => setDisabled(given, false)),
  )
  printsRows(of('list', "List a customer's members.", '--customer sunbird'), readMembers)
}

type NewMember = Named & { name: string; role: string[]; passwordStdin?: boolean }

async function addMember(given: NewMember, command: Command): Promise<void> {
  const { customerId, name: customerName, domain: customerDomain } = await customerNamed(given.customer)
  const email = given.email.trim()
  if (!z.email().max(254).safeParse(email).success)
    throw new Problem('invalid_request', `"${given.email}" is not an e-mail address.`)
  const name = checkedText('name', given.name)
  const roles = rolesOf(given.role)
  const owner = { name, email, customerName, customerDomain }
  const passwordHash = await hashPassword(await newPassword(given, command, owner))
  const add = scope({ customerId }, async (tx) => {
    const id = await directory.addMember(tx, customerId, { email, name, roles, passwordHash })
    await recordDeed(tx, customerId, 'member.added', id, { email, name, roles })
  })
  await orDuplicate(add, { members_email: `There is a member with the address ${email} already.` })
  print(email)
}

async function setPassword(given: Named & { passwordStdin?: boolean }, command: Command): Promise<void> {
  const { name: customerName, domain: customerDomain } = await customerNamed(given.customer)
  // Unknown members are told before a password is asked for.
  const owner = await changeMember(given, async (tx, customerId, { id, name, email }) => {
    const passwordHash = await readPasswordHash(tx, customerId, id)
    return { name, email, customerName, customerDomain, passwordHash }
  })
  const hash = await hashPassword(await newPassword(given, command, owner))
  await changeMember(given, async (tx, customerId, { id, email }) => {
    await setPasswordHash(tx, customerId, id, hash)
    await recordDeed(tx, customerId, 'password.set', id, { email })
  })
  note(`${given.email} signs in with the new password from now on.`)
}

async function setRoles(given: Named & { role: string[] }): Promise<void> {
  const roles = rolesOf(given.role)
  await changeMember(given, async (tx, customerId, { id, email, roles: before }) => {
    await directory.setRoles(tx, customerId, id, roles)
    await recordDeed(tx, customerId, 'member.roles-set', id, { email, from: before, to: roles })
  })
  note(`${given.email} has the roles ${roles.join(', ')}.`)
}

async function setDisabled(given: Named, disabled: boolean): Promise<void> {
  await changeMember(given, async (tx, customerId, { id, email, disabledAt }) => {
    if ((disabledAt !== null) === disabled) return
    await directory.setDisabled(tx, customerId, id, disabled)
    await recordDeed(tx, customerId, disabled ? 'member.disabled' : 'member.enabled', id, { email })
  })
  note(`${given.email} is ${disabled ? 'disabled' : 'enabled'}.`)
}

async function readMembers(tx: Transaction, customerId: CustomerId) {
  const members = await directory.listMembers(tx, customerId)
  return members.map(({ email, name, roles, disabledAt, id }) => ({ email, name, roles, disabledAt, id }))
}

type Change<T> = (tx: Transaction, customerId: CustomerId, member: directory.MemberRow) => Promise<T>

async function changeMember<T>({ customer, email }: Named, change: Change<T>): Promise<T> {
  const { customerId, name } = await customerNamed(customer)
  return scope({ customerId }, async (tx) => {
    const member = await directory.readMember(tx, customerId, email.trim())
    if (!member) throw new Problem('not_found', `${name} has no member with the address ${email}.`)
    return change(tx, customerId, member)
  })
}
