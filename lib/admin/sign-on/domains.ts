import type { Command } from 'commander'
import * as operator from '#lib/identity/single-sign-on/operator.ts'
import { customerCommands, customerNamed, orDuplicate, printsRows, withDatabase } from '../command.ts'
import { note, print } from '../terminal.ts'
import type { Named } from './providers.ts'

/** Adds the commands for the domains whose members sign in by single sign-on. */
export function addDomainCommands(signOn: Command, provider: (command: Command) => Command): void {
  const parent = signOn
    .command('domains')
    .description('The domains of mail addresses whose people sign in there.')
  const addCommand = customerCommands(parent)
  provider(
    addCommand(
      'add',
      'Name a domain, and print the DNS record that proves it.',
      'sunbird.example --customer sunbird',
    ),
  )
    .argument('<domain>', 'what follows the @')
    .action(withDatabase(addDomain))
  addCommand(
    'verify',
    'Look for the record in the DNS; where it is there, the domain counts.',
    'sunbird.example --customer sunbird',
  )
    .argument('<domain>', 'one that was added')
    .action(withDatabase(verifyDomain))
  addCommand(
    'confirm',
    'Let a domain count without a record: you answer for it.',
    'sunbird.example --customer sunbird',
  )
    .argument('<domain>', 'one that was added')
    .action(withDatabase(confirmDomain))
  addCommand(
    'remove',
    'Take a domain away: its people sign in there no more.',
    'sunbird.example --customer sunbird',
  )
    .argument('<domain>', 'one that was added')
    .action(withDatabase(removeDomain))
  printsRows(
    addCommand('list', 'List the domains, with the records that prove them.', '--customer sunbird'),
    operator.listDomains,
  )
}

type Of = { customer: string }

async function addDomain(input: string, { customer, provider }: Named): Promise<void> {
  const { customerId } = await customerNamed(customer)
  const { domain, isVerified, record } = await operator.addDomain(customerId, input, provider)
  print(`${record.name}. TXT "${record.text}"`)
  note(
    isVerified
      ? `${domain} was proven before.`
      : `It counts for nothing until it is proven: have ${domain} publish this record, then run "sign-on domains verify ${domain}".`,
  )
}

async function verifyDomain(input: string, { customer }: Of): Promise<void> {
  const { customerId } = await customerNamed(customer)
  await reportVerified(operator.verifyDomain(customerId, input), input)
}

async function confirmDomain(input: string, { customer }: Of): Promise<void> {
  const { customerId } = await customerNamed(customer)
  await reportVerified(operator.confirmDomain(customerId, input), input)
}

async function reportVerified(verification: Promise<void>, domain: string): Promise<void> {
  await orDuplicate(verification, { sign_on_domains_proven: `Another customer has ${domain} already.` })
  note(`People with an address of ${domain} sign in there.`)
}

async function removeDomain(input: string, { customer }: Of): Promise<void> {
  const { customerId } = await customerNamed(customer)
  await operator.removeDomain(customerId, input)
  note(`${input} is removed.`)
}
