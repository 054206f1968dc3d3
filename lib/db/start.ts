import { env } from '#lib/env.ts'
import { openDatabase } from './client.ts'
import { type Embedded, startEmbedded } from './embedded.ts'
import { checkMigrated, migrate } from './migrate.ts'

/** The database of this process: `note` says in one line what it is; `stop` leaves it. */
export type Started = { url: string; note: string; stop(): Promise<void> }

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
  const { migratesAtStart, replica } = env().database
  const { url, embedded } = await server()
  try {
    // Our own server is nobody else's: whatever secret its logins had, from now on they have ours.
    if (embedded || migratesAtStart) await migrate(url, { renew: embedded !== undefined })
    else await checkMigrated(url)
  } catch (error) {
    await embedded?.release()
    throw error
  }
  const opened = openDatabase(url, replica)
  return {
    url,
    note: embedded?.note ?? 'PostgreSQL of DATABASE_URL',
    async stop() {
      slot.licensesInvoicesStart = undefined
      await opened.close()
      await embedded?.release()
    },
  }
}

/** Does what only the owner of the database may do, and leaves. */
export async function asOwner(work: (url: string) => Promise<void>): Promise<void> {
  const { url, embedded } = await server()
  await work(url).finally(() => embedded?.release())
}

async function server(): Promise<{ url: string; embedded: Embedded | undefined }> {
  const { database, dataDir } = env()
  if (database.url !== undefined) return { url: database.url, embedded: undefined }
  const embedded = await startEmbedded(dataDir)
  return { url: embedded.url, embedded }
}
