import pg from 'pg'
import { distribute } from './citus/distribute.ts'
import { LOGINS } from './logins.ts'
import { migrate } from './migrate.ts'
import { ensureLogins } from './roles.ts'
import { onDatabase, run } from './test-server.ts'

// Tests on Citus: CITUS_URL is a database on the coordinator that knows the workers, as a superuser who reaches all of them
// by the same name and password. A run makes, migrates and spreads one database, some 30 s; each test file has a copy of it,
// and the app of the API tests (e2e/distributed-database.ts) that database itself.

const OWNER = 'spread_owner'

/** Makes the owner of the tests' databases, who may no more than that, on each machine. */
async function makeOwner(url: string): Promise<void> {
  const password = new URL(url).password || 'spread'
  for (const machine of await machinesOf(url)) {
    const made = `CREATE ROLE ${OWNER} LOGIN NOSUPERUSER CREATEROLE PASSWORD '${password}'`
    await run(machine, made).catch((error: { code?: string }) => {
      if (error.code !== '42710') throw error
    })
  }
}

/** Makes the logins, on each machine: Citus sends them. Machines that no run had before have none. */
async function makeLogins(ownerUrl: string): Promise<void> {
  const owner = new pg.Client({ connectionString: ownerUrl })
  await owner.connect()
  await ensureLogins(owner).finally(() => owner.end())
}

/** Makes an empty database that is migrated and spread. @returns its address, as its owner reaches it */
export async function makeDistributed(url: string, name: string): Promise<string> {
  await makeOwner(url)
  const machines = await machinesOf(url)
  for (const machine of machines) {
    await run(machine, `CREATE DATABASE ${name} OWNER ${OWNER}`)
    await run(onDatabase(machine, name), 'CREATE EXTENSION citus')
    await setUp(machine, name)
  }
  const [coordinator, ...workers] = machines.map((machine) => new URL(machine))
  const here = onDatabase(url, name)
  await run(here, `SELECT citus_set_coordinator_host('${coordinator?.hostname}', ${coordinator?.port})`)
  for (const { hostname, port } of workers) await run(here, `SELECT citus_add_node('${hostname}', ${port})`)
  const ownerUrl = ownerUrlOf(url, name)
  // Before the first migration: it gives the queue's schema to a login, and Citus doesn't tell the workers who may be it.
  await makeLogins(ownerUrl)
  for (const machine of machines) await run(machine, `GRANT console_jobs TO ${OWNER}`)
  await migrate(ownerUrl)
  await run(here, `GRANT ${LOGINS.join(', ')} TO ${OWNER}`)
  await distribute(ownerUrl)
  return ownerUrl
}

/** Lets nobody in any more, for `copySpread`: Citus's own daemon would be connected to it, and nothing is copied then. */
export async function closeDistributed(url: string, name: string): Promise<void> {
  for (const machine of await machinesOf(url)) {
    await run(machine, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
    await run(
      machine,
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`,
    )
  }
}

/** Copies it on each machine, a second or two: what Citus knows of tables and shards is in tables of the database. */
export async function copyDistributed(url: string, from: string, name: string): Promise<string> {
  await Promise.all(
    (await machinesOf(url)).map(async (machine) => {
      await run(machine, `CREATE DATABASE ${name} TEMPLATE ${from} OWNER ${OWNER} STRATEGY file_copy`)
      await setUp(machine, name)
    }),
  )
  return ownerUrlOf(url, name)
}

/** What is kept with the name of a database, and so not copied. Four shards are enough for two workers. */
async function setUp(machine: string, name: string): Promise<void> {
  await run(machine, `ALTER DATABASE ${name} SET citus.propagate_set_commands TO local`)
  await run(machine, `ALTER DATABASE ${name} SET citus.shard_count TO 4`)
}

function ownerUrlOf(url: string, name: string): string {
  const ownerUrl = new URL(onDatabase(url, name))
  ownerUrl.username = OWNER
  ownerUrl.password ||= 'spread'
  return ownerUrl.href
}

/** Drops it on each machine. */
export async function dropDistributed(url: string, name: string): Promise<void> {
  const drop = `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`
  await Promise.all((await machinesOf(url)).map((machine) => run(machine, drop)))
}

/** The address of each machine, the coordinator first. */
async function machinesOf(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query('SELECT nodename, nodeport FROM pg_dist_node ORDER BY groupid')
  await client.end()
  return rows.map(({ nodename, nodeport }) => {
    const machine = new URL(url)
    machine.hostname = nodename
    machine.port = String(nodeport)
    machine.pathname = '/postgres'
    return machine.href
  })
}
