import 'server-only'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { databaseSettings } from '#lib/platform/db/settings.ts'
import { env } from './env.ts'

const GIVEN = {
  session: { setting: 'SESSION_SECRET', of: () => env().sessionSecret },
  database: { setting: 'DATABASE_SECRET', of: () => databaseSettings().secret },
} as const

const known = new Map<keyof typeof GIVEN, string>()

/**
 * A secret of this installation: its setting, else made once into DATA_DIR. All web processes share one, also those of
 * other machines, so that it has to be given where DATABASE_URL is.
 * @throws Error where it has to be given and is not
 */
export function keptSecret(name: keyof typeof GIVEN): string {
  const secret = known.get(name) ?? GIVEN[name].of() ?? ownSecret(name)
  known.set(name, secret)
  return secret
}

function ownSecret(name: keyof typeof GIVEN): string {
  if (databaseSettings().url)
    throw new Error(`Set ${GIVEN[name].setting} (32 characters or more) where DATABASE_URL is set.`)
  return madeOnce(name)
}

/** A secret that is made once into DATA_DIR, for its owner alone. */
export function madeOnce(name: string): string {
  const { dataDir } = env()
  const file = join(dataDir, `${name}-secret`)
  mkdirSync(dataDir, { recursive: true })
  try {
    writeFileSync(file, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  }
  return readFileSync(file, 'utf8')
}
