import pg from 'pg'
import { distribute } from './citus/distribute.ts'
import { LOGINS } from './logins.ts'
import { migrate } from './migrate.ts'
import { onDatabase, run } from './test-server.ts'

// Tests on Citus: CITUS_URL is a database on the coordinator that knows the workers, as a superuser who reaches all of them
// by the same name and password. Nothing can be cloned there, so that each test file makes, migrates and spreads its own.

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

/** Makes an empty database that is migrated and spread. @returns its address, as its owner reaches it */
export async function makeSpread(url: string, name: string): Promise<string> {
  await makeOwner(url)
  const machines = await machinesOf(url)
  for (const machine of machines) {
    await run(machine, `CREATE DATABASE ${name} OWNER ${OWNER}`)
    await run(onDatabase(machine, name), 'CREATE EXTENSION citus')
    await run(machine, `ALTER DATABASE ${name} SET citus.propagate_set_commands TO local`)
  }
  const [coordinator, ...workers] = machines.map((machine) => new URL(machine))
  const here = onDatabase(url, name)
  await run(here, `SELECT citus_set_coordinator_host('${coordinator?.hostname}', ${coordinator?.port})`)
  for (const { hostname, port } of workers) await run(here, `SELECT citus_add_node('${hostname}', ${port})`)
  const owned = new URL(here)
  owned.username = OWNER
  owned.password ||= 'spread'
  for (const machine of machines) await run(machine, `GRANT console_jobs TO ${OWNER}`).catch(() => {})
  await migrate(owned.href)
  await run(here, `GRANT ${LOGINS.join(', ')} TO ${OWNER}`)
  await distribute(owned.href)
  return owned.href
}

/** Drops it on each machine. */
export async function dropSpread(url: string, name: string): Promise<void> {
  for (const machine of await machinesOf(url))
    await run(machine, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
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
