import cluster, { type Worker } from 'node:cluster'
import type { ShutdownReason } from '../application.ts'

/** Where requests are answered, and what database is used, in one line. */
export type ReadyWorker = { url: string; note: string }

/** What a worker tells its primary: that requests are answered, or why it ends. */
export type News = { ready: ReadyWorker } | { failed: string }

/** How a worker ended: its exit code, or the signal that ended it, and what it said of the reason. */
export type End = { code: number | string; reason?: string }

/** One worker, as its primary sees it. */
export type WorkerProcess = {
  id: number
  pid: number | undefined
  /** Resolves when it answers requests. Rejects, saying why, where it ends before. */
  ready: Promise<ReadyWorker>
  isReady: boolean
  /** Whether it was asked to leave. */
  isLeaving: boolean
  ended: Promise<End>
  /** Asks it to leave, and resolves when it has ended. */
  leave(shutdownReason: ShutdownReason): Promise<End>
  /** Ends it now, whatever it does. */
  kill(): void
}

/** What a member needs of its process. */
export type Child = NodeJS.EventEmitter &
  Pick<Worker, 'id' | 'isConnected' | 'send'> & { process: Pick<Worker['process'], 'pid' | 'kill'> }

/** Starts a process that runs this program again, as a worker. */
export function startWorkerProcess(fork: () => Child = () => cluster.fork()): WorkerProcess {
  const worker = fork()
  const ready = Promise.withResolvers<ReadyWorker>()
  const ended = Promise.withResolvers<End>()
  // Whoever waits for it is told; nobody has to.
  ready.promise.catch(() => {})
  let reason: string | undefined
  // The metrics have messages of their own.
  worker.on('message', (news: News | Record<string, never>) => {
    if ('failed' in news) reason = news.failed
    else if ('ready' in news) {
      workerProcess.isReady = true
      ready.resolve(news.ready)
    }
  })
  // One that is gone can't be told to leave.
  worker.on('error', () => {})
  worker.once('exit', (code, signal) => {
    const end = { code: signal ?? code, ...(reason === undefined ? {} : { reason }) }
    ready.reject(new Error(reason ?? `A worker ended with ${end.code} before it was ready.`))
    ended.resolve(end)
  })
  const workerProcess: WorkerProcess = {
    id: worker.id,
    pid: worker.process.pid,
    ready: ready.promise,
    isReady: false,
    isLeaving: false,
    ended: ended.promise,
    leave(shutdownReason) {
      workerProcess.isLeaving = true
      if (worker.isConnected()) worker.send(shutdownReason)
      return ended.promise
    },
    kill: () => worker.process.kill('SIGKILL'),
  }
  return workerProcess
}
