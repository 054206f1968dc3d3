import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { serverProcess } from '#lib/platform/db/embedded/server.ts'
import { databaseSettings } from '#lib/platform/db/settings.ts'
import { env } from '#lib/platform/runtime/env.ts'

/**
 * Deletes the data of earlier demos: DATA_DIR, if it has an embedded database.
 * @throws Error if the data are elsewhere, in use, or not ours
 */
export async function deleteDemoData(): Promise<void> {
  if (databaseSettings().url) throw new Error('--reset deletes DATA_DIR only, and DATABASE_URL is set.')
  const { dataDir } = env()
  if (!existsSync(dataDir)) return
  const cluster = join(dataDir, 'postgres')
  if (!existsSync(join(cluster, 'PG_VERSION')))
    throw new Error(`${dataDir} has no database of a demo: nothing was deleted.`)
  if (await serverProcess(cluster)) throw new Error(`${dataDir} is in use: stop the other demo first.`)
  rmSync(dataDir, { recursive: true })
}
