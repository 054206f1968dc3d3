import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { dropDatabase, onDatabase, run } from '#lib/platform/db/test-servers/test-server.ts'

const SECRET = 'only-for-tests-only-for-tests-only'

/** Settings of an app with an embedded database: each is set, because a developer's .env may contain others. */
export const EMBEDDED = { DATABASE_URL: '', DATABASE_DIRECT_URL: '', SESSION_SECRET: '', DATABASE_SECRET: '' }

/** Database of one app under test: the app's settings for it, and the function that drops it. */
export type AppDatabase = { settings: typeof EMBEDDED; drop(): Promise<void> }

/**
 * Creates an empty database on the configured server: distributed by Citus (CITUS_URL, after `prepareDistributed`), or
 * that of DATABASE_URL, a pooler if DATABASE_DIRECT_URL has the server's own address. Without a server, the app has an
 * embedded one.
 * @throws Error when the login may not create it, or the server can't be reached
 */
export async function createDatabase(): Promise<AppDatabase> {
  const { CITUS_URL: citus, DATABASE_URL: url, DATABASE_DIRECT_URL: direct } = process.env
  if (!citus && !url) return { settings: EMBEDDED, drop: async () => {} }
  const name = newName()
  // Several processes could share a server, so the secrets have to be set.
  const settings = { DATABASE_DIRECT_URL: '', SESSION_SECRET: SECRET, DATABASE_SECRET: SECRET }
  if (citus)
    return {
      settings: {
        ...settings,
        DATABASE_URL: await runDistributed('copy', process.env.E2E_SPREAD ?? '', name),
      },
      drop: async () => void (await runDistributed('drop', name)),
    }
  const server = direct || (url as string)
  await run(server, `CREATE DATABASE ${name}`)
  return {
    settings: {
      ...settings,
      DATABASE_URL: onDatabase(url as string, name),
      DATABASE_DIRECT_URL: direct ? onDatabase(direct, name) : '',
    },
    drop: () => dropDatabase(server, name),
  }
}

/**
 * Creates the distributed template database of a run, which takes half a minute. Returns the function that drops it.
 */
export async function prepareDistributed(): Promise<() => Promise<void>> {
  if (!process.env.CITUS_URL) return async () => {}
  const name = newName()
  await runDistributed('make', name)
  process.env.E2E_SPREAD = name
  return async () => void (await runDistributed('drop', name))
}

const newName = () => `console_e2e_${randomBytes(6).toString('hex')}`

/** A separate process: it needs modules of the server, which Playwright's process can't load. */
async function runDistributed(...command: string[]): Promise<string> {
  const args = [
    '--conditions=react-server',
    '--disable-warning=ExperimentalWarning',
    'e2e/distributed-database.ts',
  ]
  const env = { ...process.env, ...EMBEDDED, DATABASE_SECRET: SECRET }
  return (await promisify(execFile)(process.execPath, [...args, ...command], { env })).stdout.trim()
}
