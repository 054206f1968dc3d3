import type { Command } from 'commander'
import * as store from '#lib/identity/access/sign-on/providers.ts'
import { releaseSubjects } from '#lib/identity/access/sign-on/subjects.ts'
import { lockMembers, memberWith } from '#lib/identity/members/store.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { scope } from '#lib/platform/db/scope.ts'
import {
  collect,
  customerCommands,
  customerNamed,
  printsRows,
  recordOperatorAction,
  withDatabase,
} from '../command.ts'
import { note } from '../terminal.ts'
import { addDomain, confirmDomain, listCustomerDomains, removeDomain, verifyDomain } from './domains.ts'
import { disableProvider, setProvider, showProviders, testProvider } from './providers.ts'

export function addSignOnCommands(parent: Command): void {
  const provider = (command: Command) =>
    command.option('--provider <name>', 'of several, which identity provider', 'default')
  const addCommand = customerCommands(parent)

  provider(
    addCommand(
      'set',
      'Add an identity provider, or change what is given of one, and turn it on.',
      '--customer sunbird --issuer https://login.example.com --client-id console --secret-file secret.txt --join it-manager',
    ),
  )
    .option('--issuer <address>', 'as its discovery document calls it')
    .option('--client-id <id>', 'of the client that was made for this console')
    .option(
      '--secret-file <file>',
      'the file with the client secret; - is stdin. It is sealed and never shown',
    )
    .option(
      '--scope <scope>',
      'asked for beside openid; may be given several times (email, profile)',
      collect,
    )
    .option('--verified-claim <claim>', 'the claim that says that the address is verified (email_verified)')
    .option(
      '--join <role>',
      'make members of those who sign in first, with this role; may be repeated',
      collect,
    )
    .option('--no-join', 'make nobody a member: only those who are members sign in')
    .option('--role-from <rule>', 'a role by a claim, as in groups:admins=admin; may be repeated', collect)
    .option(
      '--profile-from <rule>',
      'a billing profile by a claim, as in groups:emea=emea; may be repeated',
      collect,
    )
    .option('--no-mapping', 'roles and billing profiles come from no claim')
    .action(withDatabase(setProvider))
  printsRows(
    addCommand(
      'show',
      'Show the identity providers, with the address to which each leads back.',
      '--customer sunbird --json',
    ),
    showProviders,
  )
  provider(
    addCommand(
      'test',
      'Ask an issuer what it publishes, and say whether that will do.',
      '--customer sunbird',
    ),
  ).action(withDatabase(testProvider))
  provider(
    addCommand(
      'off',
      'Let nobody sign in by a provider any more, and end the sessions that it opened.',
      '--customer sunbird',
    ),
  ).action(withDatabase(disableProvider))
  addCommand(
    'require',
    'Let nobody in by password. An Admin has to have signed in by single sign-on before.',
    '--customer sunbird',
  ).action(withDatabase(requireSignOn))
  addCommand('allow-passwords', 'Let members sign in by password again.', '--customer sunbird').action(
    withDatabase(letPasswordsIn),
  )
  addCommand(
    'release',
    'Forget who a member is at the issuer: the next sign-in with their address says it anew.',
    '--customer sunbird --email ana@sunbird.example',
  )
    .requiredOption('--email <email>', "the member's address")
    .action(withDatabase(release))
  addDomainCommands(parent, provider)
}

function addDomainCommands(signOn: Command, provider: (command: Command) => Command): void {
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
    listCustomerDomains,
  )
}

type Of = { customer: string }

async function requireSignOn({ customer }: Of): Promise<void> {
  const { customerId, name } = await customerNamed(customer)
  await scope({ customerId }, async (tx) => {
    // A parallel removal of an Admin is serialized before or after this lock.
    await lockMembers(tx, customerId, [])
    if (!(await store.hasVerifiedAdmin(tx, customerId)))
      throw new Problem(
        'invalid_request',
        `No Admin of ${name} has signed in by single sign-on yet: if it did not work, nobody could get in.`,
      )
    await store.setSignOnOnly(tx, customerId, true)
    await recordOperatorAction(tx, customerId, { action: 'customer.passwords-refused', subject: customerId })
  })
  note(`Nobody signs in to ${name} by password any more; the sessions that passwords opened are ended.`)
}

async function letPasswordsIn({ customer }: Of): Promise<void> {
  const { customerId, name } = await customerNamed(customer)
  await scope({ customerId }, async (tx) => {
    await store.setSignOnOnly(tx, customerId, false)
    await recordOperatorAction(tx, customerId, { action: 'customer.passwords-allowed', subject: customerId })
  })
  note(`Members of ${name} sign in by password, too.`)
}

async function release({ customer, email }: Of & { email: string }): Promise<void> {
  const { customerId, name } = await customerNamed(customer)
  await scope({ customerId }, async (tx) => {
    const member = await memberWith(tx, customerId, email.trim())
    if (!member) throw new Problem('not_found', `${name} has no member with the address ${email}.`)
    const count = await releaseSubjects(tx, customerId, { memberId: member })
    if (count > 0)
      await recordOperatorAction(tx, customerId, {
        action: 'sign-on.released',
        subject: member,
        details: { email },
      })
  })
  note(`The next sign-in with ${email} says who that is at the issuer.`)
}
