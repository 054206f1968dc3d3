import type { Command } from 'commander'

/** Commands that belong together. What they need is loaded only where one of them is called, or asked about. */
type Group = {
  name: string
  description: string
  /** Gives what adds the commands to their group. */
  load(): Promise<(group: Command) => void>
}

/** In the order in which they are listed. */
export const GROUPS: readonly Group[] = [
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
    load: async () => (await import('./members/command.ts')).addMemberCommands,
  },
  {
    name: 'sign-on',
    description: "Single sign-on: a customer's people sign in at an issuer of OpenID Connect.",
    load: async () => (await import('./sign-on/command.ts')).addSignOnCommands,
  },
  {
    name: 'keys',
    description: 'API keys of a customer.',
    load: async () => (await import('./keys/command.ts')).addKeyCommands,
  },
  {
    name: 'scim',
    description: "A customer's directory, which adds and removes members by SCIM.",
    load: async () => (await import('./scim/command.ts')).addScimCommands,
  },
  {
    name: 'import',
    description:
      'Bring in files, all of an import or nothing. The same files again change nothing. Each import says what it did.',
    load: async () => (await import('./imports/command.ts')).addImportCommands,
  },
  {
    name: 'invoices',
    description: 'What belongs to invoices that are there.',
    load: async () => (await import('./invoices/command.ts')).addInvoiceCommands,
  },
  {
    name: 'notices',
    description:
      'Who is told by e-mail of invoices, and of licenses that vendors change. Sent only where SMTP_URL is set.',
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
    load: async () => (await import('./changes/command.ts')).addChangeCommands,
  },
  {
    name: 'status',
    description: 'How the service does: changes that wait, accounts at vendors, jobs, mails, the database.',
    load: async () => (await import('./status/command.ts')).addStatusCommand,
  },
  {
    name: 'sums',
    description: 'The kept sums of invoices, from which summaries and statements are answered.',
    load: async () => (await import('./sums/command.ts')).addSumCommands,
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
