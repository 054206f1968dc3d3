import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { runCommand } from '#lib/admin/program.ts'
import { openDatabase } from '#lib/platform/db/client.ts'
import { startProcessReaper } from '#lib/platform/db/embedded/test-process-reaper.ts'
import { migrate } from '#lib/platform/db/migrate.ts'
import { addAsset, addInvoice, addKey } from '#lib/platform/db/test-rows.ts'
import { startLoad } from '../failover/load.ts'
import { missingPackages, unprivileged } from '../failover/programs.ts'
import { SESSION_SECRET, startApp } from '../http/program.ts'
import { addLoaded } from '../http/seed.ts'
import { archived, queryRows, readState, WHAT } from './database-state.ts'
import { type Kind, oneServer, pairOfNodes } from './kinds.ts'
import { restoreOfMachines } from './machines.ts'
import { type Programs, programs } from './server.ts'
import { secondsSince, timed } from './timed.ts'

// Backs up a server under changes and incoming invoices, restores it to a moment between two of them, and compares its
// records with those committed until then. The exit code is 1 if a record is missing or extra, or if sums or history do
// not verify. docs/evidence/databases.md keeps the figures.
// npm run restores [-- --invoices 1000000]
// npm run restores -- --pair    the pair of deploy/pair, in its own place
// npm run restores -- --citus   three machines of a database that Citus distributes, to a shared restore point

const { values: options } = parseArgs({
  options: {
    /** Invoices of the customer that exists before the backup. */
    invoices: { type: 'string', default: '100000' },
    /** Seconds of changes and invoices before the moment, and after it. */
    seconds: { type: 'string', default: '10' },
    /** The pair of deploy/pair instead of a single server. */
    pair: { type: 'boolean', default: false },
    /** Three machines of Citus instead of a single server. */
    citus: { type: 'boolean', default: false },
  },
})
const ASSETS = ['office-suite-0', 'office-suite-1', 'office-suite-2', 'office-suite-3']
const missing = missingPackages(options.pair ? undefined : [])
if (missing.length > 0) {
  console.error(`This needs programs that are not here: apt-get install ${missing.join(' ')}`)
  process.exit(2)
}
Object.assign(process.env, { DATABASE_URL: '', DATABASE_SECRET: SESSION_SECRET, SESSION_SECRET })
const reaper = startProcessReaper()
const folder = await mkdtemp(join(tmpdir(), 'console-restore-'))
reaper.removeFolder(folder)
try {
  const account = await unprivileged()
  const run = programs(account)
  if (options.citus) {
    const how = { account, run, seconds: Number(options.seconds) }
    if (!(await restoreOfMachines(reaper, folder, how, verifies))) process.exitCode = 1
  } else await main(await (options.pair ? pairOfNodes : oneServer)({ reaper, folder, account, run }), run)
} finally {
  await reaper.dismiss()
  await rm(folder, { recursive: true, force: true })
}

async function main(kind: Kind, run: Programs): Promise<void> {
  const { adminUrl: url, ownerUrl, backupUrl } = kind
  await migrate(ownerUrl)
  const database = openDatabase(ownerUrl)
  await addLoaded(url, 'restored', Number(options.invoices))
  for (const name of ASSETS) await addAsset('restored', name, { purchased: 1 })
  const key = await addKey('restored', ['admin'])
  const app = await startApp(reaper, ownerUrl, '1')
  const load = startLoad(app.url, key, ASSETS, 0)
  let isOver = false
  const adding = addInvoices(() => isOver)

  const backup = await timed(() =>
    run('pg_basebackup', [`--dbname=${backupUrl}`, '-D', join(folder, 'base'), '-c', 'fast', '-X', 'stream']),
  )
  const verify = await timed(() => run('pg_verifybackup', [join(folder, 'base')]))
  await sleep(Number(options.seconds) * 1000)
  const [{ moment } = { moment: '' }] = await queryRows<{ moment: string }>(
    url,
    "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') || '+00' AS moment",
  )
  await sleep(Number(options.seconds) * 1000)
  isOver = true
  await Promise.all([load.stop(), adding])
  await app.stop()
  await database.close()
  const until = await readState(url, moment)
  const all = await readState(url)
  // The mistake that the restore has to undo.
  await queryRows(url, "DELETE FROM line_items WHERE customer_id = 'restored'")
  await queryRows(url, "DELETE FROM invoices WHERE customer_id = 'restored'")
  await queryRows(url, 'SELECT pg_switch_wal()')
  await archived(url)

  let copySeconds = ''
  const began = performance.now()
  const afterCopy = () => {
    copySeconds = secondsSince(began)
  }
  const restored = await kind.restore(moment, afterCopy)
  const seconds = secondsSince(began)
  const there = await readState(restored.adminUrl)
  const verified = await verifies(restored.ownerUrl)
  console.log(`Restored to ${moment}.
| what | at the moment | restored | later, and not there |
|---|---:|---:|---:|
${WHAT.map((what) => `| ${what} | ${until[what].length} | ${there[what].length} | ${all[what].length - until[what].length} |`).join('\n')}
pg_basebackup ${backup} s, pg_verifybackup ${verify} s, the restore ${seconds} s, of which copying it ${copySeconds} s.`)
  const same = WHAT.every((what) => until[what].join() === there[what].join())
  console.log(same ? 'Exactly what was committed until then is there.' : 'What is there is something else.')
  if (!same || !verified || all.changes.length === until.changes.length) process.exitCode = 1
  await restored.stop()
  await kind.stop()
}

async function addInvoices(isOver: () => boolean): Promise<void> {
  for (let n = 0; !isOver(); n++) await addInvoice('restored', `LATER-${n}`)
}

/**
 * Returns whether the stored sums and the history of the restored database are right, according to the operator's
 * commands.
 */
async function verifies(url: string): Promise<boolean> {
  Object.assign(process.env, { DATABASE_URL: url })
  return (await runCommand(['sums', 'verify'])) + (await runCommand(['audit', 'verify'])) === 0
}
