import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openDatabase } from '#lib/platform/db/client.ts'
import type { ProcessReaper } from '#lib/platform/db/embedded/test-process-reaper.ts'
import { addAsset, addCustomer, addKey } from '#lib/platform/db/test-rows.ts'
import { SESSION_SECRET, startApp } from '../http/program.ts'
import { type Cluster, distributeTables, type Machine, startCluster } from './cluster.ts'
import { compare } from './compare.ts'
import { startLoad } from './load.ts'
import { part } from './part.ts'
import type { Account } from './programs.ts'
import { failed, tableOf } from './table.ts'
import type { Tally } from './tally.ts'

/** How long a machine stays dead, in milliseconds; its supervisor would restart it sooner. */
const DEAD = 10_000

type Options = { writers: string; readers: string; seconds: string }

/**
 * Kills a worker and then the coordinator of a distributed database, under changes and reads of a customer whose rows
 * are on that worker and of a customer on the other worker, and compares the acknowledged changes with the rows. Sets
 * the exit code.
 */
export async function killOfWorkers(
  reaper: ProcessReaper,
  folder: string,
  account: Account,
  { writers, readers, seconds }: Options,
): Promise<void> {
  console.log('Starting a coordinator and two workers …')
  const cluster = await startCluster(reaper, folder, account)
  await distributeTables(cluster)
  const [hit, spared] = await customersOnEach(cluster, Math.ceil(Number(writers) / 2))
  if (!hit || !spared) throw new Error('No two customers lie on two workers.')
  const app = await startApp(reaper, cluster.url, '1', { DATABASE_SECRET: SESSION_SECRET })
  const loads = [hit, spared].map(({ key, assets }) =>
    startLoad(app.url, key, assets, Math.ceil(Number(readers) / 2)),
  )
  const tallies: Tally[] = []
  const during = async (name: string, kill: () => Promise<unknown>) => {
    const done = kill()
    const reports = loads.map((load, at) =>
      part(load, {
        seconds: Number(seconds),
        name: `${name}: ${at ? 'customer elsewhere' : 'its customer'}`,
        kill: () => {},
        until: () => done,
      }),
    )
    tallies.push(...(await Promise.all(reports)))
  }
  const again = (machine: Machine) => async () => {
    machine.kill()
    await sleep(DEAD)
    await machine.start()
  }
  await during('nothing', async () => {})
  await during('a worker', again(hit.worker))
  await during('the coordinator', again(cluster.coordinator))
  const acknowledged = (await Promise.all(loads.map((load) => load.stop()))).flat()
  const compared = await compare(cluster.adminUrl, acknowledged)
  console.log(`\n${tableOf(tallies)}\n\n${JSON.stringify(compared)}`)
  for (const { fault, name } of tallies) if (fault) console.log(`${name}: ${fault}`)
  if (failed(tallies, compared)) process.exitCode = 1
  await app.stop()
}

/** A customer whose rows are all on one worker. */
export type Customer = { id: string; worker: Machine; key: string; assets: string[] }

/** Adds two customers on two workers, each with an asset for each writer, and a key. */
export async function customersOnEach(
  { url, adminUrl, workers }: Cluster,
  writers: number,
): Promise<Customer[]> {
  const database = openDatabase(url)
  const admin = new pg.Client({ connectionString: adminUrl })
  await admin.connect()
  const customers = new Map<number, Customer>()
  for (let n = 0; customers.size < workers.length && n < 50; n++) {
    const id = `failover-${n}`
    const { rows } = await admin.query<{ port: number }>(
      `SELECT n.nodeport AS port FROM pg_dist_placement p JOIN pg_dist_node n ON n.groupid = p.groupid
       WHERE p.shardid = get_shard_id_for_distribution_column('assets', $1::text)`,
      [id],
    )
    const worker = workers.find(({ port }) => port === rows[0]?.port)
    if (!worker || customers.has(worker.port)) continue
    await addCustomer(id)
    const assets = Array.from({ length: writers }, (_, at) => `workspace-suite-${n}-${at}`)
    for (const asset of assets) await addAsset(id, asset, { purchased: 1 })
    customers.set(worker.port, { id, worker, assets, key: await addKey(id, ['admin']) })
  }
  await admin.end()
  await database.close()
  return [...customers.values()]
}
