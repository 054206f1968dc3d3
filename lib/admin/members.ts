import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import { z } from 'zod'
import * as operator from '#lib/identity/members/operator.ts'
import { toProblem } from '#lib/platform/api/error-mapper.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { mailSettings } from '#lib/platform/mail/settings.ts'
import { checkedText, collect, customerCommands, printsRows, rolesOf, withDatabase } from './command.ts'
import { operatorOf } from './licenses/operator.ts'
import { note, print, UsageError } from './terminal.ts'

export function addMemberCommands(parent: Command): void {
  const addCommand = customerCommands(parent)
  const one = (name: string, description: string, example: string) =>
    addCommand(name, description, `--customer sunbird --email ana@sunbird.example${example}`).requiredOption(
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
  ).action(withDatabase((options: Named) => setAllDisabled(options, true)))
  one(
    'enable',
    'Let a disabled member sign in again; with --email -, those whose addresses are on standard input.',
    '',
  ).action(withDatabase((options: Named) => setAllDisabled(options, false)))
  one(
    'reset-factor',
    'Reset two-step verification of a member who lost it, at each customer. The member gets an email.',
    '',
  ).action(withDatabase(resetFactor))
  printsRows(addCommand('list', "List a customer's members.", '--customer sunbird'), operator.listMembers)
}

async function setRoles(options: Named & { role: string[] }): Promise<void> {
  const { roles } = await operator.changeMember(await adminOf(options), options.email, {
    roles: rolesOf(options.role),
  })
  note(`${options.email} has the roles ${roles.join(', ')}.`)
}

async function setProfiles(options: Named & { profile?: string[]; all?: boolean }): Promise<void> {
  const { profile, all = false } = options
  if ((profile === undefined) === !all)
    throw new UsageError('Give the billing profiles, each with --profile, or --all.')
  const { billingProfiles } = await operator.changeMember(await adminOf(options), options.email, {
    billingProfiles: profile ?? null,
  })
  note(`${options.email} sees ${billingProfiles?.join(', ') ?? 'all billing profiles'}.`)
}

async function setAllDisabled(options: Named, disabled: boolean): Promise<void> {
  await forEachOf(await linesOrValue(options.email), (email) => setDisabled({ ...options, email }, disabled))
}

async function setDisabled(options: Named, disabled: boolean): Promise<void> {
  await operator.changeMember(await adminOf(options), options.email, { disabled })
  note(`${options.email} is ${disabled ? 'disabled' : 'enabled'}.`)
}

async function resetFactor(options: Named): Promise<void> {
  await operator.resetFactors(await adminOf(options), options.email)
  note(`${options.email} has no two-step verification any more.`)
}

type Linked = Named & { mail?: boolean }
type NewMember = Linked & { name: string; role: string[]; profile?: string[] }

/** Adds a member, who accepts by a link. */
async function addMember(options: NewMember): Promise<void> {
  checkMail(options)
  const email = options.email.trim()
  if (!z.email().max(254).safeParse(email).success)
    throw new UsageError(`"${options.email}" is not an email address.`)
  const name = checkedText('name', options.name)
  const member = { email, name, roles: rolesOf(options.role), billingProfiles: options.profile }
  const link = await operator.inviteMember(await adminOf(options), member, options.mail ?? false)
  printLink(link, email)
}

/** Creates a new link for a member. */
async function reset(options: Linked): Promise<void> {
  checkMail(options)
  const link = await operator.makeMemberLink(await adminOf(options), options.email, options.mail ?? false)
  printLink(link, options.email)
}

function checkMail({ mail }: Linked): void {
  if (mail && !mailSettings())
    throw new Problem('invalid_request', 'No mail server is configured: set SMTP_URL and MAIL_FROM.')
}

/** Prints a link to standard output, or the address that the link is mailed to. */
function printLink(
  { url, expireTime }: Awaited<ReturnType<typeof operator.makeMemberLink>>,
  email: string,
): void {
  print(url ?? email)
  const until = new Date(expireTime).toISOString().slice(0, 16).replace('T', ' ')
  note(
    url === undefined
      ? 'The running service mails the link within a minute.'
      : `Give this link to ${email} in private: it works once, until ${until} UTC.`,
  )
}

/** Whom a command is about. */
type Named = { customer: string; email: string }

/** Returns the operator as a caller with the permissions of an Admin. @throws Problem for an unknown customer */
function adminOf({ customer }: Named): Promise<Caller> {
  return operatorOf(customer, ['admin'])
}

/** More lines would be a mistake, such as a whole disk on standard input. */
const MAX_LINES = 100_000

/**
 * Returns an argument's value, or with `-` each line of standard input that is not blank.
 * @throws Problem where there is no line
 */
async function linesOrValue(value: string): Promise<string[]> {
  if (value !== '-') return [value]
  const lines = new Set<string>()
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    const text = line.replace(/^\ufeff/, '').trim()
    if (text !== '') lines.add(text)
    if (lines.size > MAX_LINES)
      throw new Problem('invalid_request', `There are more than ${MAX_LINES} lines.`)
  }
  if (lines.size === 0) throw new Problem('invalid_request', 'There is no line on the standard input.')
  return [...lines]
}

/**
 * Runs the work for each value: a refusal does not stop the others.
 * @throws Problem at the end, where any was refused
 */
async function forEachOf(all: readonly string[], work: (one: string) => Promise<void>): Promise<void> {
  if (all.length === 1 && all[0] !== undefined) return work(all[0])
  let failures = 0
  for (const one of all) {
    try {
      await work(one)
    } catch (error) {
      const problem = toProblem(error)
      // An error that affects one affects all.
      if (problem.status >= 500) throw error
      failures += 1
      note(`${one}: ${problem.message}`)
    }
  }
  if (failures > 0) throw new Problem('invalid_request', `${failures} of ${all.length} were refused.`)
}
