import { env } from '#lib/env.ts'
import { openDatabase } from './client.ts'
import { startEmbedded } from './embedded.ts'
import { migrate } from './migrate.ts'

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
  const { databaseUrl, dataDir, replica } = env()
  const embedded = databaseUrl === undefined ? await startEmbedded(dataDir) : undefined
  const url = embedded?.url ?? (databaseUrl as string)
  try {
    await migrate(url)
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
