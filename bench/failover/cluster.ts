import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { distribute } from '#lib/platform/db/citus/distribute.ts'
import type { ProcessReaper } from '#lib/platform/db/embedded/test-process-reaper.ts'
import { makeLogins, migrate } from '#lib/platform/db/migrate.ts'
import { programs } from '../restore/server.ts'
import { type Account, freePorts, type Running, serverBinaries, starter, waitFor } from './programs.ts'

/** Settings of deploy/citus/README.md, with enough shards that both workers have customers. */
const SETTINGS = `
shared_preload_libraries = 'citus'
max_connections = 200
max_prepared_transactions = 200
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
citus.shard_count = 8
`

/** A server of the cluster. */
export type Machine = {
  port: number
  /** Name of the machine's folder and log, in the cluster's folder. */
  name: string
  /** kill -9 of its postmaster. */
  kill(): void
  /** Starts the server again, and resolves when it answers. */
  start(): Promise<void>
}

/** A coordinator and two workers, with an empty database of the owner `console`. */
export type Cluster = {
  /** Addresses of the database through the coordinator: as the owner, and as a superuser. */
  url: string
  adminUrl: string
  coordinator: Machine
  workers: Machine[]
}

/**
 * Starts a coordinator and two workers.
 * @param more settings of a machine by its name
 * @throws Error if this machine's PostgreSQL has no Citus; the servers' output is in the files of `folder`
 */
export async function startCluster(
  reaper: ProcessReaper,
  folder: string,
  account: Account,
  more: (name: string) => string = () => '',
): Promise<Cluster> {
  const start = starter(reaper, folder, account)
  const run = programs(account)
  const ports = await freePorts(3)
  const machines = await Promise.all(
    ports.map(async (port, index) => {
      const name = `node-${index}`
      const data = join(folder, name)
      await run('initdb', [
        '-D',
        data,
        '--username=postgres',
        '--auth=trust',
        '--encoding=UTF8',
        '--locale=C.UTF-8',
      ])
      appendFileSync(join(data, 'postgresql.conf'), `${SETTINGS}port = ${port}\n${more(name)}`)
      return machineOf(port, name, () =>
        start(name, join(serverBinaries() ?? '', 'postgres'), ['-D', data], {}),
      )
    }),
  )
  const [coordinator, ...workers] = machines
  if (!coordinator) throw new Error('There is no coordinator.')
  for (const { port } of machines) {
    await runQueries(
      port,
      'postgres',
      'CREATE ROLE console LOGIN CREATEROLE',
      'CREATE DATABASE console OWNER console',
    )
    await runQueries(
      port,
      'console',
      'CREATE EXTENSION citus',
      'ALTER DATABASE console SET citus.propagate_set_commands TO local',
    )
  }
  const added = workers.map(({ port }) => `SELECT citus_add_node('127.0.0.1', ${port})`)
  await runQueries(
    coordinator.port,
    'console',
    `SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`,
    ...added,
  )
  return {
    url: `postgres://console@127.0.0.1:${coordinator.port}/console`,
    adminUrl: `postgres://postgres@127.0.0.1:${coordinator.port}/console`,
    coordinator,
    workers,
  }
}

/** Distributes the cluster's tables as deploy/citus/README.md describes. */
export async function distributeTables({ url, coordinator, workers }: Cluster): Promise<void> {
  await makeLogins(url, { renew: false })
  const alone = 'ALTER ROLE console_jobs SET citus.enable_ddl_propagation TO off'
  await runQueries(coordinator.port, 'console', alone)
  for (const { port } of workers) await runQueries(port, 'console', 'GRANT console_jobs TO console')
  await migrate(url)
  await distribute(url)
}

async function machineOf(port: number, name: string, run: () => Running): Promise<Machine> {
  let running: Running
  const isUp = () => runQueries(port, 'postgres', 'SELECT 1').then(() => true)
  const start = () =>
    waitFor(async () => {
      // The processes of the killed server may still run; the new server then ends immediately.
      running = run()
      for (let tries = 0; tries < 20; tries++) {
        await sleep(250)
        if (await isUp().catch(() => false)) return true
      }
      return false
    }).then(() => {})
  await start()
  return { port, name, kill: () => running.kill(), start }
}

/** Runs queries as a superuser, each in a separate transaction. */
async function runQueries(port: number, database: string, ...queries: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: `postgres://postgres@127.0.0.1:${port}/${database}` })
  client.on('error', () => {})
  await client.connect()
  try {
    for (const query of queries) await client.query(query)
  } finally {
    await client.end()
  }
}
