import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import type { ShutdownReason } from '../application.ts'
import { type ReadyWorker, startWorkerProcess, type WorkerProcess } from './worker-process.ts'

/** Pause between attempts to replace a worker, in milliseconds: doubled after each failure. */
const PAUSE = { first: 1000, longest: 30_000 }

/** Workers of one primary. */
export type WorkerPool = ReadyWorker & {
  /** Replaces the running workers one by one; resolves when that is done. */
  restart(): Promise<void>
  /** Stops all workers. Rejects, after all have ended, with those that ended badly. */
  stop(reason: ShutdownReason): Promise<void>
}

/**
 * Starts workers and keeps their number: a worker that dies is replaced.
 * @param giveUp called when no worker is left and a new one fails to start
 * @param start starts one worker
 * @throws Error with the reason of the first one that fails to start; none is left running then
 */
export async function startWorkerPool(
  count: number,
  giveUp: (error: unknown) => void,
  start: () => WorkerProcess = startWorkerProcess,
): Promise<WorkerPool> {
  const workers = new Set<WorkerProcess>()
  let isStopping = false
  let isRestarting = false
  let failures = 0

  const add = async (): Promise<ReadyWorker> => {
    const worker = start()
    workers.add(worker)
    worker.ended.then((end) => {
      workers.delete(worker)
      // A worker that was never ready is handled by the function that started it.
      if (isStopping || !worker.isReady || (worker.isLeaving && end.code === 0)) return
      log().error({ worker: worker.id, ...end }, 'worker died')
      fill()
    })
    const readyWorker = await worker.ready.finally(() => worker.isReady || workers.delete(worker))
    log().info({ worker: worker.id, pid: worker.pid }, 'worker ready')
    return readyWorker
  }
  const fill = () => {
    const staying = [...workers].filter((worker) => !worker.isLeaving).length
    for (let have = staying; have < count && !isStopping; have++)
      add().then(() => {
        failures = 0
      }, tryAgain)
  }
  const tryAgain = (error: unknown) => {
    if (isStopping) return
    log().error({ reason: reasonOf(error) }, 'worker does not start')
    if (workers.size === 0) return giveUp(error)
    setTimeout(fill, Math.min(PAUSE.longest, PAUSE.first * 2 ** failures++)).unref()
  }
  const restart = async () => {
    if (isRestarting) return
    isRestarting = true
    try {
      for (const worker of [...workers]) {
        if (isStopping) return
        if (!workers.has(worker)) continue
        await add()
        await worker.leave('handed over')
      }
      log().info('workers restarted')
    } catch (error) {
      log().error({ reason: reasonOf(error) }, 'restart broken off: the other workers stay')
    } finally {
      isRestarting = false
      // A worker that died during the restart was not replaced, because the new one took its place.
      fill()
    }
  }
  const stop = async (reason: ShutdownReason) => {
    isStopping = true
    const ends = await Promise.all(
      [...workers].map(async (worker) => ({ id: worker.id, ...(await worker.leave(reason)) })),
    )
    const bad = ends.filter(({ code }) => code !== 0)
    if (bad.length > 0)
      throw new Error(bad.map(({ id, code, reason }) => exitMessage(id, code, reason)).join('; '))
  }

  // No worker outlives this process, however it exits.
  process.on('exit', () => {
    for (const worker of workers) worker.kill()
  })
  try {
    // The first worker starts by itself, so that an obstacle is found and reported once.
    const readyWorker = await add()
    await Promise.all(Array.from({ length: count - 1 }, add))
    return { ...readyWorker, restart, stop }
  } catch (error) {
    await stop('at once').catch(() => {})
    throw error
  }
}

function exitMessage(id: number, code: number | string, reason: string | undefined): string {
  return `worker ${id} ended with ${code}${reason === undefined ? '' : ` (${reason})`}`
}
