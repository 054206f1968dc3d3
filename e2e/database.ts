import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { dropDatabase, onDatabase, run } from '#lib/platform/db/test-server.ts'

const SECRET = 'only-for-tests-only-for-tests-only'

/** The settings of an app whose database is an embedded one: each is set, for a developer's .env may have another. */
export const EMBEDDED = { DATABASE_URL: '', DATABASE_DIRECT_URL: '', SESSION_SECRET: '', DATABASE_SECRET: '' }

/** Database of one app under test: the app's settings for it, and the function that drops it. */
export type AppDatabase = { settings: typeof EMBEDDED; drop(): Promise<void> }

/**
 * Makes an empty database on the server that the run is given: spread by Citus (CITUS_URL, once `prepareSpread` has run),
 * or that of DATABASE_URL, a pooler where DATABASE_DIRECT_URL has the server's own address. Where none is given, the app
 * has an embedded one.
 * @throws Error when the login may not make it, or the server can't be reached
 */
export async function createDatabase(): Promise<AppDatabase> {
  const { CITUS_URL: citus, DATABASE_URL: url, DATABASE_DIRECT_URL: direct } = process.env
  if (!citus && !url) return { settings: EMBEDDED, drop: async () => {} }
  const name = newName()
  // Several processes could share a server: the secrets have to be given.
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

/** Makes the spread database that those of a run are copied from: it takes half a minute. Returns the way to drop it. */
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
