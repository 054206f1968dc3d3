import pg from 'pg'
import { distribute } from '../citus/distribute.ts'
import { ensureLogins } from '../ensure-logins.ts'
import { LOGINS } from '../logins.ts'
import { migrate } from '../migrate.ts'
import { onDatabase, run } from './test-server.ts'

// Tests on Citus: CITUS_URL is a database on the coordinator that knows the workers, with a superuser who can log in to
// all of them by the same name and password. A run creates, migrates and distributes one database, in some 30 s; each
// test file gets a copy, and the app of the API tests (e2e/distributed-database.ts) the database itself.

const OWNER = 'spread_owner'

/** Creates the unprivileged owner of the tests' databases on each node. */
async function makeOwner(url: string): Promise<void> {
  const password = new URL(url).password || 'spread'
  for (const machine of await machinesOf(url)) {
    const made = `CREATE ROLE ${OWNER} LOGIN NOSUPERUSER CREATEROLE PASSWORD '${password}'`
    await run(machine, made).catch((error: { code?: string }) => {
      if (error.code !== '42710') throw error
    })
  }
}

/** Creates the logins on each node: Citus propagates them, except to nodes that no run has used before. */
async function makeLogins(ownerUrl: string): Promise<void> {
  const owner = new pg.Client({ connectionString: ownerUrl })
  await owner.connect()
  await ensureLogins(owner).finally(() => owner.end())
}

/**
 * Creates an empty database that is migrated and distributed.
 * @returns its URL, with its owner
 */
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
  // Before the first migration: the migration grants the queue's schema to a login, and Citus does not send the logins'
  // memberships to its workers.
  await makeLogins(ownerUrl)
  for (const machine of machines) await run(machine, `GRANT console_jobs TO ${OWNER}`)
  await migrate(ownerUrl)
  await run(here, `GRANT ${LOGINS.join(', ')} TO ${OWNER}`)
  await distribute(ownerUrl)
  return ownerUrl
}

/**
 * Refuses further connections, for `copyDistributed`: a database with connections, such as that of Citus's daemon,
 * can't be copied.
 */
export async function closeDistributed(url: string, name: string): Promise<void> {
  for (const machine of await machinesOf(url)) {
    await run(machine, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
    await run(
      machine,
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`,
    )
  }
}

/**
 * Copies the database on each node, in a second or two: Citus keeps its metadata of tables and shards in the database
 * itself.
 */
export async function copyDistributed(url: string, from: string, name: string): Promise<string> {
  await Promise.all(
    (await machinesOf(url)).map(async (machine) => {
      await run(machine, `CREATE DATABASE ${name} TEMPLATE ${from} OWNER ${OWNER} STRATEGY file_copy`)
      await setUp(machine, name)
    }),
  )
  return ownerUrlOf(url, name)
}

/**
 * Sets the properties that belong to a database's name and so are not copied. Four shards are enough for two workers.
 */
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

/** Returns the URLs of a database on the workers, with its owner. */
export async function workerUrlsOf(url: string, name: string): Promise<string[]> {
  return (await machinesOf(url)).slice(1).map((machine) => ownerUrlOf(machine, name))
}

/** Drops the database on each node. */
export async function dropDistributed(url: string, name: string): Promise<void> {
  const drop = `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`
  await Promise.all((await machinesOf(url)).map((machine) => run(machine, drop)))
}

/** Returns the URL of each node, the coordinator first. */
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
