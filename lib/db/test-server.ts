import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startWarden } from './embedded/test-warden.ts'
import { startEmbedded } from './embedded.ts'
import { LOGINS } from './logins.ts'
import { migrate } from './migrate.ts'

const INSUFFICIENT_PRIVILEGE = '42501'

declare module 'vitest' {
  interface ProvidedContext {
    /** Database URL of the migrated template that each test file clones. */
    templateUrl: string
  }
}

/**
 * Vitest's global setup: the server of DATABASE_DIRECT_URL, else of DATABASE_URL, or an embedded one on a folder of its own, and on
 * it a migrated template. The embedded one is used through a plain owner, who may make databases and
 * roles and no more: a superuser would hide every mistake in grants and policies. All that the tests keep in
 * temporary folders goes with the run, and so do the databases there, however the run ends.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'unit-'))
  // As the system's own one, for tests that act as somebody else.
  await chmod(folder, 0o755)
  const warden = startWarden()
  warden.removeFolder(folder)
  process.env.TMPDIR = folder
  // Here and in the tests, and the same in each run: the logins stay where the server does.
  process.env.DATABASE_SECRET ||= 'only-for-tests-only-for-tests-only'
  const server = await testServer(join(folder, 'server'))
  const template = `console_template_${randomBytes(4).toString('hex')}`
  await run(server.url, `CREATE DATABASE ${template}`)
  const templateUrl = onDatabase(server.url, template)
  await migrate(templateUrl)
  // The tests' owner may look as each of them, and end their connections.
  await run(templateUrl, `GRANT ${LOGINS.join(', ')} TO CURRENT_USER`)
  project.provide('templateUrl', templateUrl)
  return async () => {
    await dropDatabase(server.url, template)
    await server.stop()
    await warden.dismiss()
  }
}

async function testServer(folder: string): Promise<{ url: string; stop(): Promise<void> }> {
  const { DATABASE_URL: given, DATABASE_DIRECT_URL: direct = given } = process.env
  if (direct) return { url: direct, stop: async () => {} }
  const embedded = await startEmbedded(folder)
  const password = randomBytes(12).toString('hex')
  await run(
    embedded.url,
    `CREATE ROLE plain_owner LOGIN NOSUPERUSER CREATEDB CREATEROLE PASSWORD '${password}'`,
  )
  const url = new URL(embedded.url)
  url.username = 'plain_owner'
  url.password = password
  return {
    url: url.href,
    stop: () => embedded.release(),
  }
}

/** Whether the product comes to the server through a pooler, which has fewer connections there, and prepares by text. */
export const isBehindPooler = Boolean(process.env.DATABASE_URL && process.env.DATABASE_DIRECT_URL)

/**
 * A database of the test server as the product reaches it: by the host and port of DATABASE_URL, where a pooler stands
 * before the server of DATABASE_DIRECT_URL. The tests' own look at it goes past that.
 */
export function throughPooler(url: string): string {
  const { DATABASE_URL: pooler, DATABASE_DIRECT_URL: direct } = process.env
  if (!pooler || !direct) return url
  const through = new URL(url)
  through.host = new URL(pooler).host
  return through.href
}

/** The same server, another database. */
export function onDatabase(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}

/** Runs one statement that can't be in a transaction, on a connection of its own. */
export async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/**
 * Drops a database with whoever is connected to it. A worker of autovacuum may not be ended by a plain owner's FORCE;
 * without it, the server ends such a worker itself.
 */
export async function dropDatabase(url: string, name: string): Promise<void> {
  const drop = `DROP DATABASE IF EXISTS ${name}`
  await run(url, `${drop} WITH (FORCE)`).catch((error: { code?: string }) => {
    if (error.code !== INSUFFICIENT_PRIVILEGE) throw error
    return run(url, drop)
  })
}
