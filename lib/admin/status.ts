import type { Command } from 'commander'
import { readServiceStats, type ServiceStats } from '#lib/server/service-stats.ts'
import { withDatabase } from './command.ts'
import { counted, print, printJson, printRows } from './terminal.ts'

export function addStatusCommand(status: Command): void {
  status
    .addHelpText('after', '\nExample:\n  npm run -s admin -- status --json')
    .action(withDatabase(showStatus))
}

async function showStatus({ json = false }: { json?: boolean }): Promise<void> {
  const stats = await readServiceStats()
  if (json) printJson(stats)
  else printStats(stats)
}

function printStats({
  at,
  changes,
  orders,
  accounts,
  jobs,
  outbox,
  domains,
  customers,
  database,
}: ServiceStats): void {
  const oldest =
    changes.oldestOpenSeconds === null ? '' : `, the oldest for ${ageOf(changes.oldestOpenSeconds)}`
  print(`At        ${minuteOf(at)} UTC`)
  print(`Changes   ${changes.open} open${oldest}; ${changes.unclear} unclear`)
  const { active, notPlaced, notWithdrawn, oldestWaitSeconds: wait } = orders
  const longest = wait === null ? '' : `, the oldest for ${ageOf(wait)}`
  print(
    `Orders    ${active} active: ${notPlaced} not placed, ${notWithdrawn} not withdrawn${longest}; ${orders.unclear} unclear`,
  )
  print(`Outbox    ${outbox.map(({ kind, waiting }) => `${waiting} ${kind}`).join(', ') || 'nothing waits'}`)
  if (domains.lost > 0) print(`Domains   ${domains.lost} without the DNS record that proves them`)
  if (customers.withoutFullAdmin.length > 0)
    print(`Admins    none sees all billing profiles at ${customers.withoutFullAdmin.join(', ')}`)
  print(
    `Database  ${counted(database.migrations, 'migration')}, the newest ${database.newest ?? 'of a later release'}`,
  )
  print('\nAccounts at vendors (times in UTC):')
  printRows(
    accounts.map((account) => ({
      vendor: account.vendor,
      account: account.vendorAccount,
      'set up': account.isSetUp ? 'yes' : 'no',
      subscriptions: String(account.subscriptions),
      'never read': String(account.neverRead),
      'oldest reading': account.oldestReading,
      'list read': account.listReadAt,
      'closed until': account.closedUntil,
      open: String(account.open),
      unclear: String(account.unclear),
      'oldest open': account.oldestOpenSeconds === null ? null : ageOf(account.oldestOpenSeconds),
    })),
    {},
  )
  print('\nJobs of the last day (times in UTC):')
  if (jobs.length === 0) print('none: no web process has run on this database')
  printRows(
    jobs.map(({ job, runningSince, doneAt, failedAt, reason }) => ({
      job,
      'running since': runningSince,
      'last done': doneAt,
      'last failed': failedAt,
      reason,
    })),
    {},
  )
}

function minuteOf(at: Date): string {
  return at.toISOString().slice(0, 16).replace('T', ' ')
}

/** A time in its two largest units. */
function ageOf(seconds: number): string {
  const units: [number, string][] = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'min'],
    [1, 's'],
  ]
  const at = units.findIndex(([size]) => seconds >= size)
  if (at < 0) return '0 s'
  const text = units.slice(at, at + 2).map(([size, name], index) => {
    const rest = index === 0 ? seconds : seconds % (units[at]?.[0] ?? 1)
    return `${Math.floor(rest / size)} ${name}`
  })
  return text.filter((one) => !one.startsWith('0 ')).join(' ')
}
