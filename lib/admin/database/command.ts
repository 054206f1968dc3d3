import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { Problem } from '#lib/platform/api/problem.ts'
import { countCustomers } from '#lib/platform/caller/store.ts'
import { makeLogins, migrate } from '#lib/platform/db/migrate.ts'
import { listMigrations } from '#lib/platform/db/migration-files.ts'
import { databaseSettings } from '#lib/platform/db/settings.ts'
import { asOwner } from '#lib/platform/db/start.ts'
import { BACKFILLS } from '#lib/server/backfills/list.ts'
import { runBackfills } from '#lib/server/backfills/run.ts'
import { listBackfills, openAgain, type Progress } from '#lib/server/backfills/store.ts'
import { appliedMigrations } from '#lib/server/service-stats.ts'
import { withDatabase } from '../command.ts'
import { counted, Interrupted, interruption, print, printJson, printRows, progress } from '../terminal.ts'
import { addDistributeCommands, printMachines, readMachines } from './distribute.ts'
import { addDumpCommands } from './dump.ts'

/** Pause between checks of a newer process's progress, in milliseconds. */
const PAUSE = 1000

export function addDatabaseCommands(database: Command): void {
  database
    .command('status')
    .description('Which migrations are applied, how far backfills are, and where customers lie.')
    .addHelpText('after', '\nExample:\n  npm run -s admin -- database status --json')
    .action(withDatabase(showStatus))

  database
    .command('migrate')
    .description('Make what logins are missing, and bring the database to this release, as its owner.')
    .addHelpText(
      'after',
      "\nExample:\n  npm run -s admin -- database migrate        # with the owner's address in DATABASE_URL",
    )
    .action(migrateAsOwner)

  database
    .command('logins')
    .description('Make what logins are missing, as the owner of the database, and migrate nothing.')
    .option('--renew', 'give those that were made with another DATABASE_SECRET the passwords of this one')
    .addHelpText('after', '\nExample:\n  npm run -s admin -- database logins --renew')
    .action(addLogins)

  database
    .command('backfill')
    .description('Do now what is open. The web processes do it, too: both may run at once.')
    .option('--again <name>', 'one that is done, from the first row on; nothing else')
    .addHelpText('after', '\nExample:\n  npm run -s admin -- database backfill --again invoice-words')
    .action(withDatabase(backfill))

  addDumpCommands(database)
  addDistributeCommands(database)
}

async function showStatus({ json = false }: { json?: boolean }): Promise<void> {
  const applied = await appliedMigrations()
  const newest = listMigrations().find(({ when }) => when === applied.at(-1))?.name ?? null
  const rows = await Promise.all((await listBackfills()).map(formatProgress))
  const machines = await readMachines()
  if (json) {
    const distribution = machines && { machines }
    return printJson({ migrations: applied.length, newest, backfills: rows, ...distribution })
  }
  print(`Database   ${counted(applied.length, 'migration')}, the newest ${newest ?? 'of a later release'}`)
  const open = rows.filter((row) => row.finished === null).length
  print(`Backfills  ${open === 0 ? 'none is open' : `${open} open`}`)
  if (rows.length > 0) print('')
  printRows(rows, {})
  if (machines) printMachines(machines)
}

async function formatProgress({ name, atCustomer, afterRow, count, askedAt, movedAt, finishedAt }: Progress) {
  const { upTo, all } = await countCustomers(atCustomer)
  const done = afterRow === null ? upTo : upTo - 1
  return {
    backfill: name,
    customers: finishedAt ? 'all' : `${done.toLocaleString('en')} of ${all.toLocaleString('en')}`,
    rows: count.toLocaleString('en'),
    'asked (UTC)': askedAt,
    'last batch': movedAt,
    finished: finishedAt,
  }
}

async function migrateAsOwner(): Promise<void> {
  await asOwner((url) => migrate(url, { isDirect: databaseSettings().direct !== undefined }))
  print('The database has all migrations of this release.')
}

async function addLogins({ renew = false }: { renew?: boolean }): Promise<void> {
  await asOwner((url) => makeLogins(url, { renew }))
  print('All logins are there.')
}

async function backfill({ again }: { again?: string }): Promise<void> {
  if (again !== undefined && !(await openAgain(again)))
    throw new Problem('invalid_request', `There is no backfill "${again}": database status lists them.`)
  const backfills = BACKFILLS.filter(({ name }) => again === undefined || name === again)
  const { signal } = interruption
  const display = progress('rows looked at')
  let count = 0
  // Another process may be backfilling ahead of us: then rows are left when we end.
  while (!signal.aborted && (await isOpen(backfills))) {
    const before = count
    count += await runBackfills({
      signal,
      backfills,
      onBatch: (name, rows) => display.update(before + rows, `rows looked at for ${name}`),
    }).finally(display.end)
    if (count === before) await sleep(PAUSE, undefined, { signal }).catch(() => {})
  }
  if (signal.aborted)
    throw new Interrupted(`Interrupted after ${counted(count, 'row')}: the rest is still open.`)
  print(`Nothing is open: ${counted(count, 'row was', 'rows were')} looked at.`)
}

async function isOpen(backfills: typeof BACKFILLS): Promise<boolean> {
  const names = new Set(backfills.map(({ name }) => name))
  return (await listBackfills()).some(({ name, finishedAt }) => names.has(name) && finishedAt === null)
}
