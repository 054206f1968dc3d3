import { ROLE_NAMES } from '#lib/access/rules.ts'
import type { DemoCustomer, DemoMember } from './customer.ts'

export type Running = {
  /** Where the console is, without a trailing slash. */
  address: string
  /** Where the data is, in one line. */
  data: string
  customers: readonly DemoCustomer[]
  /** What each member signs in with, by e-mail; absent where it was changed. */
  passwords: ReadonlyMap<string, string>
  apiKey: string
}

/** What a visitor needs to know, readable at a glance. */
export function announcement({ address, data, customers, passwords, apiKey }: Running): string {
  const rows = customers.flatMap(({ name, members }) =>
    members.map((member, index) => [
      index === 0 ? name : '',
      rolesOf(member),
      member.email,
      passwords.get(member.email) ?? '(changed)',
    ]),
  )
  return [
    `Licenses & Invoices  ${address}`,
    '',
    ...table([['Customer', 'Role', 'E-mail', 'Password'], ...rows]),
    '',
    'The API, with a key that works until the next start:',
    `curl -H 'Authorization: Bearer ${apiKey}' '${address}/billing/v1/invoices?maxResults=2'`,
    '',
    `${data} Ctrl-C stops everything.`,
  ].join('\n')
}

function rolesOf({ roles, billingProfiles }: DemoMember): string {
  const names = roles.map((role) => ROLE_NAMES[role]).join(' and ') || 'no role'
  return billingProfiles ? `${names}, of ${billingProfiles.length} billing profile` : names
}

/** Lines of columns that stand under each other. */
function table(rows: string[][]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('   ')
      .trimEnd(),
  )
}
