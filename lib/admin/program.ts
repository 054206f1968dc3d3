import { Command, Help, type Option } from 'commander'
import { exitCodeOf } from './terminal.ts'

/**
 * Returns the operator's commands. Only one group is loaded: the others have a name and a description. Wrong usage is
 * thrown as a CommanderError, after its message was printed.
 * @param group the first word of the command line
 */
export async function adminProgram(group: string | undefined): Promise<Command> {
  const program = new Command('npm run -s admin --')
    .usage('<what> <command> [options]')
    .description("The operator's commands. They work beside a running server, and without one.")
    .addHelpText(
      'afterAll',
      '\nExit codes: 0 done, 1 refused or failed, 2 wrong usage, or an import left something out, 130 interrupted.',
    )
    .showHelpAfterError('(add --help for how it is used)')
    .exitOverride()
    .configureHelp({ optionDescription })
    // Loaded only now: who asks for help needs no settings.
    .hook('preAction', async () => (await import('#lib/server/check-settings.ts')).checkSettings())
  for (const { name, description, load } of GROUPS) {
    const parent = program.command(name).description(description)
    if (name === group) (await load())(parent)
  }
  return program
}

/** Commands that show something, by their paths. Each can print it as JSON, too. */
const SHOWING = /(^| )(list|show|status|duplicates|limits|prices)$|^(sums|audit) verify$|^sign-on test$/

/** Adds `--json` to each command that shows something. */
function addJsonTo(command: Command, path: string): void {
  for (const sub of command.commands) addJsonTo(sub, `${path} ${sub.name()}`)
  if (SHOWING.test(path)) command.option('--json', 'as JSON')
}

/** Returns the help text of an option. Required options are marked. */
function optionDescription(option: Option): string {
  const text = new Help().optionDescription(option)
  return option.mandatory ? `${text} (required)` : text
}

/**
 * Runs one command line, and prints errors.
 * @param args arguments after `npm run -s admin --`
 * @returns the exit code
 */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    // `help keys` is about a group, too.
    const program = await adminProgram(args[0] === 'help' ? args[1] : args[0])
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    return exitCodeOf(error)
  }
}

/** Group of commands. Its module is loaded only for a call, or for help. */
type Group = {
  name: string
  description: string
  /** Loads the function that adds the commands to their group. */
  load(): Promise<(group: Command) => void>
}

/** In the order of the help text, as their modules declare them. */
const DECLARED: readonly Group[] = [
  {
    name: 'customers',
    description: 'The companies whose licenses and invoices are kept.',
    load: async () => (await import('./customers/command.ts')).addCustomerCommands,
  },
  {
    name: 'billing-profiles',
    description: 'Whom invoices address: name, address and tax id. Invoices name their profile by its id.',
    load: async () => (await import('./billing-profiles.ts')).addBillingProfileCommands,
  },
  {
    name: 'issuers',
    description: "Who sends a customer's invoices: what their PDF files say beside the name.",
    load: async () => (await import('./issuers.ts')).addIssuerCommands,
  },
  {
    name: 'members',
    description: 'The people who sign in to the console.',
    load: async () => (await import('./members.ts')).addMemberCommands,
  },
  {
    name: 'sign-on',
    description: "Single sign-on: a customer's people sign in at an issuer of OpenID Connect.",
    load: async () => (await import('./sign-on/command.ts')).addSignOnCommands,
  },
  {
    name: 'keys',
    description: 'API keys of a customer.',
    load: async () => (await import('./keys.ts')).addKeyCommands,
  },
  {
    name: 'scim',
    description: "A customer's directory, which adds and removes members by SCIM.",
    load: async () => (await import('./scim.ts')).addScimCommands,
  },
  {
    name: 'import',
    description:
      'Bring in files, all of an import or nothing. The same files again change nothing. Each import prints its result.',
    load: async () => (await import('./imports/command.ts')).addImportCommands,
  },
  {
    name: 'invoices',
    description: 'What belongs to invoices that are there.',
    load: async () => (await import('./invoices.ts')).addInvoiceCommands,
  },
  {
    name: 'payments',
    description: 'What customers paid: record, import, assign and reverse payments, refunds and write-offs.',
    load: async () => (await import('./payments/command.ts')).addPaymentCommands,
  },
  {
    name: 'notices',
    description:
      'Addresses that get emails about invoices, and about licenses that vendors change. Sent only if SMTP_URL is set.',
    load: async () => (await import('./notices.ts')).addNoticeCommands,
  },
  {
    name: 'licenses',
    description: 'Licenses of a customer.',
    load: async () => (await import('./licenses/command.ts')).addLicenseCommands,
  },
  {
    name: 'changes',
    description: 'Changes of licenses that wait for a person, of all customers.',
    load: async () => (await import('./changes.ts')).addChangeCommands,
  },
  {
    name: 'renewal-orders',
    description: 'Orders for next terms that wait for their vendor or for a person, of all customers.',
    load: async () => (await import('./licenses/renewal-orders.ts')).addRenewalOrderCommands,
  },
  {
    name: 'status',
    description:
      'Print the state of the service: waiting changes and renewal orders, vendor accounts, jobs, mails, the database.',
    load: async () => (await import('./status.ts')).addStatusCommand,
  },
  {
    name: 'sums',
    description: 'The kept sums of invoices, from which summaries and statements are answered.',
    load: async () => (await import('./sums.ts')).addSumCommands,
  },
  {
    name: 'audit',
    description: 'The history of what happened: who did what, when, from where.',
    load: async () => (await import('./audit/command.ts')).addAuditCommands,
  },
  {
    name: 'database',
    description:
      "The database's migrations and logins, and the changes of many rows that are left to be done.",
    load: async () => (await import('./database/command.ts')).addDatabaseCommands,
  },
]

/** All groups, whose commands have the options that follow from their names. */
export const GROUPS: readonly Group[] = DECLARED.map((group) => ({
  ...group,
  load: async () => {
    const addCommands = await group.load()
    return (parent) => {
      addCommands(parent)
      addJsonTo(parent, group.name)
    }
  },
}))
