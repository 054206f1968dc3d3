import { env } from '#lib/platform/runtime/env.ts'
import { checkConnections, database, openDatabase } from './client.ts'
import { type Embedded, startEmbedded } from './embedded.ts'
import { checkMigrated, migrate } from './migrate.ts'
import { databaseSettings } from './settings.ts'

/** Database of this process: `note` describes it in one line; `stop` leaves it. */
export type Started = {
  url: string
  /** URL for the owner's work. */
  direct: string
  note: string
  stop(): Promise<void>
}

const slot = globalThis as typeof globalThis & { licensesInvoicesStart?: Promise<Started> | undefined }

/**
 * Prepares the database for this process: the server of DATABASE_URL, or an embedded one under DATA_DIR; migrated, with
 * open pools. A second call returns the first one's result.
 */
export function startDatabase(): Promise<Started> {
  slot.licensesInvoicesStart ??= start().catch((error) => {
    slot.licensesInvoicesStart = undefined
    throw error
  })
  return slot.licensesInvoicesStart
}

async function start(): Promise<Started> {
  const { migratesAtStart, replica } = databaseSettings()
  const isDirect = databaseSettings().direct !== undefined
  const { url, direct, embedded } = await server()
  try {
    // The embedded server belongs to this installation only, so logins with another secret get the current one.
    if (embedded || migratesAtStart) await migrate(direct, { renew: embedded !== undefined, isDirect })
    else await checkMigrated(url)
  } catch (error) {
    await embedded?.release()
    throw error
  }
  const opened = openDatabase(url, replica)
  return {
    url,
    direct,
    note: embedded?.note ?? 'PostgreSQL of DATABASE_URL',
    async stop() {
      slot.licensesInvoicesStart = undefined
      await opened.close()
      await embedded?.release()
    },
  }
}

/**
 * Like `startDatabase`, for a process that serves requests: tries a connection of each pool.
 * @throws Error with one line on why a pool can't serve
 */
export async function startCheckedDatabase(): Promise<Started> {
  const started = await startDatabase()
  try {
    await checkConnections(database())
  } catch (error) {
    await started.stop()
    throw error
  }
  return started
}

/** Does work that only the database's owner may do, and releases the database. */
export async function asOwner(work: (url: string) => Promise<void>): Promise<void> {
  const { direct, embedded } = await server()
  await work(direct).finally(() => embedded?.release())
}

async function server(): Promise<{ url: string; direct: string; embedded: Embedded | undefined }> {
  const { dataDir } = env()
  const settings = databaseSettings()
  const { url, direct = url } = settings
  if (url !== undefined && direct !== undefined) return { url, direct, embedded: undefined }
  const embedded = await startEmbedded(dataDir)
  return { url: embedded.url, direct: embedded.url, embedded }
}
