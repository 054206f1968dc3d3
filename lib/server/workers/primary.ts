import { startEmbedded } from '#lib/platform/db/embedded.ts'
import { databaseSettings } from '#lib/platform/db/settings.ts'
import { env } from '#lib/platform/runtime/env.ts'
import type { ShutdownReason } from '../application.ts'
import { type HealthPort, startHealthPort } from '../health/port.ts'
import { metricsSettings } from '../metrics/settings.ts'
import { startWorkerPool, type WorkerPool } from './worker-pool.ts'

/**
 * Starts the embedded database, where no other is configured, and the workers that share it. The primary answers no
 * requests itself: it distributes the connections.
 * @param count number of workers, at least two
 * @param giveUp called when all workers have failed for good
 * @param start starts the workers
 * @throws Error with the reason in one line; nothing is left running then
 */
export async function startPrimary(
  count: number,
  giveUp: (error: unknown) => void,
  start = startWorkerPool,
): Promise<WorkerPool> {
  const { dataDir } = env()
  const database = databaseSettings()
  const at = metricsSettings()
  let health: HealthPort | undefined
  const embedded = database.url === undefined ? await startEmbedded(dataDir) : undefined
  try {
    const metrics = at && (await (await import('../metrics/serve.ts')).startSharedMetrics(at))
    health = await startHealthPort()
    const pool = await start(count, giveUp).catch(async (error: unknown) => {
      await metrics?.stop()
      throw error
    })
    return {
      ...pool,
      note: `${embedded?.note ?? pool.note}, ${count} processes`,
      // The last process to disconnect from the embedded database stops it.
      stop: (reason: ShutdownReason) => {
        health?.report({ isDraining: true })
        return pool
          .stop(reason)
          .finally(() => Promise.all([metrics?.stop(), health?.stop(), embedded?.release()]))
      },
    }
  } catch (error) {
    await Promise.all([health?.stop(), embedded?.release()])
    throw error
  }
}
