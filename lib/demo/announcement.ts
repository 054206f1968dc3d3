import { ROLE_NAMES } from '#lib/platform/caller/rules.ts'
import type { DemoCustomer, DemoMember } from './customers.ts'

export type Running = {
  /** Base URL of the console, without a trailing slash. */
  address: string
  /** Place of the data, in one line. */
  data: string
  customers: readonly DemoCustomer[]
  /** Password of each member. */
  password: string
  /** Emails of members whose password was changed. */
  changed: ReadonlySet<string>
  /** Undefined where no key could be issued. */
  apiKey: string | undefined
}

/** Returns the text for a visitor, short and in 80 columns except for the call. */
export function announcement({ address, data, customers, password, changed, apiKey }: Running): string {
  const rows = customers.flatMap(({ name, members }) =>
    members.map((member, index) => {
      const email = changed.has(member.email) ? `${member.email} (password changed)` : member.email
      return [index === 0 ? name : '', rolesOf(member), email]
    }),
  )
  return [
    `Licenses & Invoices is on ${address}`,
    '',
    `Sign in with the password ${password} as`,
    ...table(rows),
    '',
    ...(apiKey === undefined ? [] : callWith(apiKey, address)),
    `${data} Ctrl-C stops everything.`,
  ].join('\n')
}

function callWith(apiKey: string, address: string): string[] {
  return [
    'or call the API, with a key that works until the next start on this port:',
    `curl -H 'Authorization: Bearer ${apiKey}' '${address}/billing/v1/invoices?maxResults=2'`,
    '',
  ]
}

function rolesOf({ roles, billingProfiles }: DemoMember): string {
  const names = roles.map((role) => ROLE_NAMES[role]).join(', ') || 'no role'
  return billingProfiles
    ? `${names}, ${billingProfiles.length} profile${billingProfiles.length === 1 ? '' : 's'}`
    : names
}

/** Returns lines with aligned columns. */
function table(rows: string[][]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
