import type { Command } from 'commander'
import * as operator from '#lib/identity/single-sign-on/operator.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { collect, customerCommands, customerNamed, printsRows, withDatabase } from '../command.ts'
import { note } from '../terminal.ts'
import { addDomainCommands } from './domains.ts'
import { disableProvider, setProvider, testProvider } from './providers.ts'

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
    .option('--verified-claim <claim>', 'claim for a verified email address (default: email_verified)')
    .option(
      '--join <role>',
      'make members of those who sign in first, with this role; may be repeated',
      collect,
    )
    .option('--no-join', 'only existing members can sign in')
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
    operator.listProviders,
  )
  provider(
    addCommand(
      'test',
      'Ask an issuer what it publishes, and say whether that will do.',
      '--customer sunbird',
    ),
  ).action(withDatabase(testProvider))
  provider(
    addCommand('off', 'Turn off a provider, and end the sessions that it opened.', '--customer sunbird'),
  ).action(withDatabase(disableProvider))
  addCommand(
    'require',
    'Turn off password sign-in. An Admin must have used single sign-on before.',
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

type Of = { customer: string }

async function requireSignOn({ customer }: Of): Promise<void> {
  const { customerId, name } = await customerNamed(customer)
  await operator.requireSignOn(customerId, name)
  note(`Members of ${name} can no longer sign in with a password; sessions opened with one have ended.`)
}

async function letPasswordsIn({ customer }: Of): Promise<void> {
  const { customerId, name } = await customerNamed(customer)
  await operator.allowPasswords(customerId)
  note(`Members of ${name} sign in by password, too.`)
}

async function release({ customer, email }: Of & { email: string }): Promise<void> {
  const { customerId, name } = await customerNamed(customer)
  if (!(await operator.releaseMember(customerId, email)))
    throw new Problem('not_found', `${name} has no member with the address ${email}.`)
  note(`The next sign-in with ${email} says who that is at the issuer.`)
}
