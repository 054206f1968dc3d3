import { env } from '#lib/platform/runtime/env.ts'
import { checkConnections, database, openDatabase } from './client.ts'
import { type Embedded, startEmbedded } from './embedded.ts'
import { checkMigrated, migrate } from './migrate.ts'
import { databaseSettings } from './settings.ts'

/** The database of this process: `note` says in one line what it is; `stop` leaves it. */
export type Started = {
  url: string
  /** The same database, for what only its owner does. */
  direct: string
  note: string
  stop(): Promise<void>
}

const slot = globalThis as typeof globalThis & { licensesInvoicesStart?: Promise<Started> | undefined }

/**
 * Makes the database ready for this process: the server of DATABASE_URL, or our own under DATA_DIR;
 * migrated, with the pools open. A second call gets the first one's result.
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
    // Our own server is nobody else's: whatever secret its logins had, from now on they have ours.
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
 * The same for a process that serves requests: each pool has tried a connection.
 * @throws Error that says in one line why nothing can be served by one of them
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

/** Does what only the owner of the database may do, and leaves. */
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
