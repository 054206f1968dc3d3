import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabase } from '#lib/platform/db/client.ts'
import { startProcessReaper } from '#lib/platform/db/embedded/test-process-reaper.ts'
import { migrate } from '#lib/platform/db/migrate.ts'
import { addAsset, addCustomer, addKey } from '#lib/platform/db/test-rows.ts'
import { SESSION_SECRET, startApp } from '../http/program.ts'
import { compare } from './compare.ts'
import { startLoad } from './load.ts'
import { type Pair, startPair } from './pair.ts'
import { part } from './part.ts'
import { missingPackages, unprivileged } from './programs.ts'
import { failed, tableOf } from './table.ts'
import { killOfWorkers } from './workers.ts'

// Kills the database that deploy/pair describes, under changes and reads, and counts lost changes and refusals. The
// exit code is 1 if an acknowledged change is lost, a refusal is not the service's own, or a 500 is seen.
// docs/evidence/databases.md keeps the figures.
// npm run failover [-- --web] [-- --keep]
// npm run failover -- --citus   kills a worker and the coordinator of a database that Citus distributes: deploy/citus/README.md

const { values: options } = parseArgs({
  options: {
    /** Kills one of the two web processes, too. */
    web: { type: 'boolean', default: false },
    /** Two workers and a coordinator of Citus instead of the pair. */
    citus: { type: 'boolean', default: false },
    writers: { type: 'string', default: '8' },
    readers: { type: 'string', default: '4' },
    /** Seconds of load before the first kill, and after each kill once writes go on. */
    seconds: { type: 'string', default: '5' },
    /** Keeps the folder with the output of the programs. */
    keep: { type: 'boolean', default: false },
  },
})

const missing = missingPackages(options.citus ? [] : undefined)
if (missing.length > 0) {
  console.error(`This needs programs that are not here: apt-get install ${missing.join(' ')}`)
  process.exit(2)
}

// Environment of all processes of this run, including this one.
Object.assign(process.env, { DATABASE_URL: '', DATABASE_SECRET: SESSION_SECRET, SESSION_SECRET })
const reaper = startProcessReaper()
const folder = await mkdtemp(join(tmpdir(), 'console-failover-'))
if (!options.keep) reaper.removeFolder(folder)
try {
  if (options.citus) await killOfWorkers(reaper, folder, await unprivileged(), options)
  else {
    console.log('Starting etcd, two nodes and HAProxy …')
    await run(await startPair(reaper, folder, await unprivileged()))
  }
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await reaper.dismiss()
  if (options.keep) console.log(`What the programs said is in ${folder}.`)
  else await rm(folder, { recursive: true, force: true })
}

async function run(pair: Pair): Promise<void> {
  await migrate(pair.url)
  const assets = Array.from({ length: Number(options.writers) }, (_, n) => `workspace-suite-${n}`)
  const key = await seed(pair.url, assets)
  const more = { DATABASE_SECRET: SESSION_SECRET, TRUST_PROXY: '1', BASE_URL: pair.web }
  const web = [
    await startApp(reaper, pair.url, '1', more),
    await startApp(reaper, pair.url, '1', more),
  ] as const
  await pair.balance(web.map(({ url }) => url))
  const load = startLoad(pair.web, key, assets, Number(options.readers))
  const seconds = Number(options.seconds)

  const tallies = [await part(load, { seconds, name: 'nothing', kill: () => undefined })]
  tallies.push(await part(load, { seconds, name: "the primary's postmaster", kill: pair.killPostmaster }))
  await pair.whole()
  let killedName = ''
  const killNode = async () => {
    killedName = await pair.killNode()
  }
  tallies.push(await part(load, { seconds, name: "the primary's node", kill: killNode }))
  tallies.push(
    await part(load, {
      seconds,
      name: 'nothing: the node comes back',
      kill: () => pair.startNode(killedName),
      until: pair.whole,
    }),
  )
  if (options.web)
    tallies.push(await part(load, { seconds, name: 'one of two web processes', kill: () => web[0].kill() }))
  const acknowledged = await load.stop()
  const compared = await compare(pair.adminUrl, acknowledged)
  console.log(`\n${tableOf(tallies)}\n\n${JSON.stringify(compared)}`)
  for (const { fault, name } of tallies) if (fault) console.log(`${name}: ${fault}`)
  if (failed(tallies, compared)) process.exitCode = 1
  for (const one of options.web ? web.slice(1) : web) await one.stop()
}

/** Adds a customer with an asset for each writer, and returns a key for all. */
async function seed(url: string, assets: readonly string[]): Promise<string> {
  const database = openDatabase(url)
  await addCustomer('failover')
  for (const asset of assets) await addAsset('failover', asset, { purchased: 1 })
  const key = await addKey('failover', ['admin'])
  await database.close()
  return key
}
