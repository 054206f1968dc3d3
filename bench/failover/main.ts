import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openDatabase } from '#lib/db/client.ts'
import { startWarden } from '#lib/db/embedded/test-warden.ts'
import { migrate } from '#lib/db/migrate.ts'
import { addAsset, addCustomer, addKey } from '#lib/db/test-rows.ts'
import { SESSION_SECRET, startApp } from '../http/program.ts'
import { compare } from './compare.ts'
import { type Load, startLoad } from './load.ts'
import { type Pair, startPair } from './pair.ts'
import { missingPackages, soon, unprivileged } from './programs.ts'
import { failed, tableOf } from './table.ts'

// Kills the database that deploy/pair describes, under changes and reads, and counts what was lost, refused and how. It
// ends with 1 where something acknowledged is lost, a refusal is not ours or a 500 is seen. docs/database.md keeps the
// figures.
// npm run failover [-- --web] [-- --keep]

const { values: given } = parseArgs({
  options: {
    /** Kills one of the two web processes, too. */
    web: { type: 'boolean', default: false },
    writers: { type: 'string', default: '8' },
    readers: { type: 'string', default: '4' },
    /** How long the load goes on before the first kill, and after each when writes go on. */
    seconds: { type: 'string', default: '5' },
    /** Leaves the folder with what the programs said. */
    keep: { type: 'boolean', default: false },
  },
})

const missing = missingPackages()
if (missing.length > 0) {
  console.error(`This needs programs that are not here: apt-get install ${missing.join(' ')}`)
  process.exit(2)
}

// Of all processes of this run, ours too.
Object.assign(process.env, { DATABASE_URL: '', DATABASE_SECRET: SESSION_SECRET, SESSION_SECRET })
const warden = startWarden()
const folder = await mkdtemp(join(tmpdir(), 'console-failover-'))
if (!given.keep) warden.removeFolder(folder)
try {
  console.log('Starting etcd, two nodes and HAProxy …')
  const pair = await startPair(warden, folder, await unprivileged())
  await run(pair)
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await warden.dismiss()
  if (given.keep) console.log(`What the programs said is in ${folder}.`)
  else await rm(folder, { recursive: true, force: true })
}

async function run(pair: Pair): Promise<void> {
  await migrate(pair.url)
  const assets = Array.from({ length: Number(given.writers) }, (_, n) => `workspace-suite-${n}`)
  const key = await seed(pair.url, assets)
  const more = { DATABASE_SECRET: SESSION_SECRET, TRUST_PROXY: '1', BASE_URL: pair.web }
  const web = [
    await startApp(warden, pair.url, '1', more),
    await startApp(warden, pair.url, '1', more),
  ] as const
  await pair.balance(web.map(({ url }) => url))
  const load = startLoad(pair.web, key, assets, Number(given.readers))

  const tallies = [await part(load, 'nothing', () => undefined)]
  tallies.push(await part(load, "the primary's postmaster", pair.killPostmaster))
  await pair.whole()
  let gone = ''
  const killNode = async () => {
    gone = await pair.killNode()
  }
  tallies.push(await part(load, "the primary's node", killNode))
  tallies.push(await part(load, 'nothing: the node comes back', () => pair.startNode(gone), pair.whole))
  if (given.web) tallies.push(await part(load, 'one of two web processes', () => web[0].kill()))
  const acknowledged = await load.stop()
  const compared = await compare(pair.adminUrl, acknowledged)
  console.log(`\n${tableOf(tallies)}\n\n${JSON.stringify(compared)}`)
  for (const { fault, name } of tallies) if (fault) console.log(`${name}: ${fault}`)
  if (failed(tallies, compared)) process.exitCode = 1
  for (const one of given.web ? web.slice(1) : web) await one.stop()
}

/** Kills, waits until changes are acknowledged again, and goes on for a while. */
async function part(load: Load, name: string, kill: () => unknown, until?: () => Promise<unknown>) {
  console.log(`Killed: ${name} …`)
  const tally = load.count(name)
  await kill()
  await sleep(1000)
  const before = tally.changes
  await soon(async () => tally.changes > before).catch((error: Error) => {
    throw new Error(`No change is acknowledged: ${tally.fault ?? 'no answer'}`, { cause: error })
  })
  await until?.()
  await sleep(Number(given.seconds) * 1000)
  tally.end()
  return tally
}

/** A customer with an asset for each writer, and a key for all. */
async function seed(url: string, assets: readonly string[]): Promise<string> {
  const database = openDatabase(url)
  await addCustomer('failover')
  for (const asset of assets) await addAsset('failover', asset, { purchased: 1 })
  const key = await addKey('failover', ['admin'])
  await database.close()
  return key
}
