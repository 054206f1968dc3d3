import type { Command } from 'commander'
import { listCustomers } from '#lib/platform/caller/store.ts'
import { distribute } from '#lib/platform/db/citus/distribute.ts'
import { isolate } from '#lib/platform/db/citus/isolate.ts'
import { type Machine, machinesOf } from '#lib/platform/db/citus/table-distribution.ts'
import { database as opened } from '#lib/platform/db/client.ts'
import { asOwner } from '#lib/platform/db/start.ts'
import { customerNamed, withDatabase } from '../command.ts'
import { isAgreedTo, needTerminal, print, printRows, UsageError } from '../terminal.ts'

/** Adds the commands of a database distributed by Citus. */
export function addDistributeCommands(database: Command): void {
  database
    .command('distribute')
    .description(
      'Spread the tables by customer, on the coordinator of Citus, as the owner. Says what it would do.',
    )
    .option('--yes', 'confirm: no one else uses the database until it is done')
    .addHelpText('after', '\nExample:\n  npm run -s admin -- database distribute --yes')
    .action(distributeTables)

  database
    .command('isolate <customer>')
    .description(
      'Give a customer a shard of its own, as the owner, and move it where asked. Its writes wait meanwhile.',
    )
    .option('--to <host:port>', 'the machine that it moves to')
    .option('--dry-run', 'look only')
    .option('--yes', 'without asking')
    .addHelpText(
      'after',
      '\nExample:\n  npm run -s admin -- database isolate northwind --to db3.internal:5432',
    )
    .action(alone)
}

/** Returns the contents of each node; undefined for a single server. */
export async function readMachines(): Promise<Machine[] | undefined> {
  const ids = (await listCustomers()).map(({ customerId }) => customerId)
  return machinesOf(opened().jobs, ids)
}

export function printMachines(machines: readonly Machine[]): void {
  print('')
  printRows(
    machines.map(({ machine, shards, customers, bytes, alone }) => ({
      machine,
      shards: shards.toLocaleString('en'),
      customers: customers.toLocaleString('en'),
      MiB: (bytes / 2 ** 20).toLocaleString('en', { maximumFractionDigits: 1 }),
      'in a shard of its own': alone,
    })),
    {},
  )
}

async function distributeTables({ yes = false }: { yes?: boolean }): Promise<void> {
  await asOwner(async (url) => {
    const { moves, dropped, restored } = await distribute(url, { dryRun: !yes })
    if (moves.length === 0) return print('All tables lie where they belong: nothing changes.')
    printRows(
      moves.map(({ table, to }) => ({ table, to })),
      {},
    )
    print('')
    print(
      `Foreign keys   ${restored.length} are made anew, ${dropped.length} cannot hold there and are dropped`,
    )
    for (const name of dropped) print(`  ${name}`)
    print(yes ? 'Done.' : 'Nothing was changed: add --yes to do it.')
  })
}

type Options = { to?: string; dryRun?: boolean; yes?: boolean }

async function alone(name: string, { to, dryRun = false, yes = false }: Options, command: Command) {
  if (!dryRun && !yes) needTerminal(command, false)
  if (to !== undefined && !/^[^\s:]+:\d+$/.test(to))
    throw new UsageError(`"${to}" is no host with its port, such as db3.internal:5432.`)
  await withDatabase(async () => {
    const { customerId } = await customerNamed(name)
    const what = `${customerId}: a shard of its own${to ? `, at ${to}` : ''}`
    if (dryRun) return print(`${what}: nothing was changed.`)
    if (!yes && !(await isAgreedTo(`${what}. Its writes wait meanwhile. Go on? (yes) `, ['yes']))) return
    await asOwner(async (url) => print(`${customerId} is alone at ${await isolate(url, customerId, to)}.`))
  })()
}
