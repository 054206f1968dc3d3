import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '#lib/platform/db/client.ts'
import type { ProcessReaper } from '#lib/platform/db/embedded/test-process-reaper.ts'
import { addInvoice } from '#lib/platform/db/test-rows.ts'
import { type Cluster, distributeTables, type Machine, startCluster } from '../failover/cluster.ts'
import { startLoad } from '../failover/load.ts'
import type { Account } from '../failover/programs.ts'
import { customersOnEach } from '../failover/workers.ts'
import { startApp } from '../http/program.ts'
import { archived, queryRows, readState, WHAT } from './database-state.ts'
import { copyToRecover, makeArchive, type Programs, promoted, settings } from './server.ts'
import { timed } from './timed.ts'

/** Name of the restore point that all machines share. */
const POINT = 'before'

/**
 * Backs up the three machines of a distributed database separately, under changes and incoming invoices of a customer
 * on each worker; creates a restore point that all share, restores all of them to it, and compares. Records from before
 * the request of the point must be there, and no record from after its creation.
 * @returns whether the comparison and `verify` succeed; `verify` gets the restored database's address as the owner
 */
export async function restoreOfMachines(
  reaper: ProcessReaper,
  folder: string,
  { account, run, seconds }: { account: Account; run: Programs; seconds: number },
  verify: (url: string) => Promise<boolean>,
): Promise<boolean> {
  const backupOf = (name: string) => join(folder, `${name}-backup`)
  const cluster = await startCluster(reaper, folder, account, (name) => {
    makeArchive(backupOf(name), account)
    return settings('archive.conf', backupOf(name))
  })
  const machines = [cluster.coordinator, ...cluster.workers]
  await distributeTables(cluster)
  const working = await work(reaper, cluster)
  const backup = await timed(() =>
    Promise.all(
      machines.map(({ name, port }) => {
        const base = ['-D', join(backupOf(name), 'base'), '-c', 'fast', '-X', 'stream']
        return run('pg_basebackup', [`--dbname=${adminOf(port)}`, ...base])
      }),
    ),
  )
  await sleep(seconds * 1000)
  const before = await readState(cluster.adminUrl)
  const pointed = await timed(() =>
    queryRows(cluster.adminUrl, `SELECT citus_create_restore_point('${POINT}')`),
  )
  const after = await readState(cluster.adminUrl)
  await sleep(seconds * 1000)
  await working.stop()
  const all = await readState(cluster.adminUrl)
  // The mistake that the restore has to undo.
  await queryRows(cluster.adminUrl, 'DELETE FROM line_items')
  for (const { port } of machines) {
    await queryRows(adminOf(port), 'SELECT pg_switch_wal()')
    await archived(adminOf(port))
  }
  const restored = await timed(() =>
    Promise.all(machines.map((machine) => restore(machine, folder, account))),
  )
  // Prepared transactions whose outcome did not reach a machine: Citus recovers them once a minute.
  await queryRows(cluster.adminUrl, 'SELECT recover_prepared_transactions()')
  const there = await readState(cluster.adminUrl)
  const isVerified = await verify(cluster.url)
  console.log(`Restored three machines to one point.
| what | before it was asked for | when it was made | restored | later, and not there |
|---|---:|---:|---:|---:|
${WHAT.map((what) => `| ${what} | ${before[what].length} | ${after[what].length} | ${there[what].length} | ${all[what].length - there[what].length} |`).join('\n')}
pg_basebackup of all ${backup} s, the point ${pointed} s, copying, start and replay of all ${restored} s.`)
  const isWithin = WHAT.every(
    (what) => isPartOf(before[what], there[what]) && isPartOf(there[what], after[what]),
  )
  console.log(isWithin ? 'Exactly what was there at the point is there.' : 'What is there is something else.')
  return isWithin && isVerified && all.changes.length > after.changes.length
}

/** Makes changes and invoices of a customer on each worker, until it is stopped. */
async function work(reaper: ProcessReaper, cluster: Cluster) {
  const customers = await customersOnEach(cluster, 2)
  const app = await startApp(reaper, cluster.url, '1')
  const loads = customers.map(({ key, assets }) => startLoad(app.url, key, assets, 0))
  const database = openDatabase(cluster.url)
  let isOver = false
  const adding = customers.map(async ({ id }) => {
    for (let n = 0; !isOver; n++) await addInvoice(id, `${id}-${n}`)
  })
  return {
    async stop() {
      isOver = true
      await Promise.all([...loads.map((load) => load.stop()), ...adding])
      await app.stop()
      await database.close()
    },
  }
}

/** Restores in place of the machine, on its port, which the other machines know it by. */
async function restore(machine: Machine, folder: string, account: Account): Promise<void> {
  const data = join(folder, machine.name)
  machine.kill()
  await rename(data, `${data}-lost`)
  copyToRecover(`${data}-backup`, data, `recovery_target_name = '${POINT}'`, account)
  await machine.start()
  await promoted(adminOf(machine.port))
}

const adminOf = (port: number) => `postgres://postgres@127.0.0.1:${port}/console`

function isPartOf(some: readonly string[], all: readonly string[]): boolean {
  const there = new Set(all)
  return some.every((one) => there.has(one))
}
