import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startProcessReaper } from '../embedded/test-process-reaper.ts'
import { startEmbedded } from '../embedded.ts'
import { LOGINS, loginOf } from '../logins.ts'
import { migrate } from '../migrate.ts'
import { closeDistributed, dropDistributed, makeDistributed } from './test-citus.ts'
import { clockOf, clockTemplateOf, DEFAULTS_OF_CLOCK } from './test-clock.ts'
import { testFolder } from './test-folder.ts'
import { dropDatabase, onDatabase, run } from './test-server.ts'
import { VERSION_CHECKS } from './test-versions.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Database URL of the migrated template that each test file copies. */
    templateUrl: string
    /** The server's superuser, of the embedded one only: empties databases (test-reusable.ts). */
    superuserUrl: string | undefined
  }
}

/**
 * Vitest's global setup: the server of DATABASE_DIRECT_URL, else of DATABASE_URL, or an embedded one on a folder of its own, and on
 * it a migrated template. The embedded one is used through a plain owner, who may make databases and
 * roles and no more: a superuser would hide every mistake in grants and policies. Everything in the
 * tests' temporary folders is removed at the end of the run, and so are the databases, however the run ends.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const reaper = startProcessReaper()
  const newFolder = async (parent: string) => {
    const made = await mkdtemp(join(parent, 'unit-'))
    reaper.removeFolder(made)
    // Readable like the system's temporary folder, for tests that run a process as another account.
    await chmod(made, 0o755)
    return made
  }
  process.env.DISK_FOLDER = await newFolder(tmpdir())
  const folder = await newFolder(testFolder())
  process.env.TMPDIR = folder
  // The run's many processes compile the same modules.
  process.env.NODE_COMPILE_CACHE ??= join(folder, 'compiled')
  // Same secret here and in the tests, and in each run: the logins outlive a run on an external server.
  process.env.DATABASE_SECRET ||= 'only-for-tests-only-for-tests-only'
  const template = `console_template_${randomBytes(4).toString('hex')}`
  const { CITUS_URL: citus } = process.env
  if (citus) {
    project.provide('templateUrl', await makeDistributed(citus, template))
    project.provide('superuserUrl', undefined)
    await closeDistributed(citus, template)
    return async () => {
      await dropDistributed(citus, template)
      await reaper.dismiss()
    }
  }
  const server = await testServer(join(folder, 'server'))
  await run(server.url, `CREATE DATABASE ${template}`)
  const templateUrl = onDatabase(server.url, template)
  await migrate(templateUrl)
  await run(templateUrl, VERSION_CHECKS)
  // The tests' owner may act as each login, and end their connections.
  await run(templateUrl, `GRANT ${LOGINS.join(', ')} TO CURRENT_USER`)
  await server.easeLogins(templateUrl)
  const withClock = clockTemplateOf(template)
  await run(server.url, `CREATE DATABASE ${withClock} TEMPLATE ${template}`)
  await run(onDatabase(server.url, withClock), clockOf(withClock, '2026-11-20'), DEFAULTS_OF_CLOCK)
  project.provide('templateUrl', templateUrl)
  project.provide('superuserUrl', server.superuserUrl)
  return async () => {
    for (const name of [withClock, template]) await dropDatabase(server.url, name)
    await server.stop()
    await reaper.dismiss()
  }
}

type Server = {
  url: string
  superuserUrl?: string
  /** Gives the logins of a database passwords that each connection checks in no time. */
  easeLogins(url: string): Promise<void>
  stop(): Promise<void>
}

/** Rounds of a password's hash: each of a run's many connections computes them. */
const ONE_ROUND = 'SET scram_iterations = 1'

async function testServer(folder: string): Promise<Server> {
  const { DATABASE_URL: configured, DATABASE_DIRECT_URL: direct = configured } = process.env
  if (direct) return { url: direct, easeLogins: async () => {}, stop: async () => {} }
  const embedded = await startEmbedded(folder)
  const password = randomBytes(12).toString('hex')
  await run(
    embedded.url,
    ONE_ROUND,
    `CREATE ROLE plain_owner LOGIN NOSUPERUSER CREATEDB CREATEROLE PASSWORD '${password}'`,
  )
  const url = new URL(embedded.url)
  url.username = 'plain_owner'
  url.password = password
  return {
    url: url.href,
    superuserUrl: embedded.url,
    easeLogins: (templateUrl) =>
      run(
        embedded.url,
        ONE_ROUND,
        ...LOGINS.map((login) => `ALTER ROLE ${login} PASSWORD '${loginOf(templateUrl, login).password}'`),
      ),
    stop: () => embedded.release(),
  }
}
