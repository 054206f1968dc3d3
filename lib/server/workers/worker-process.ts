import cluster, { type Worker } from 'node:cluster'
import type { ShutdownReason } from '../application.ts'

/** Address of the server, and a description of its database in one line. */
export type ReadyWorker = { url: string; note: string }

/** Message of a worker to its primary: requests are answered, or the reason of its end. */
export type News = { ready: ReadyWorker } | { failed: string }

/** End of a worker: its exit code or signal, and its reported reason. */
export type End = { code: number | string; reason?: string }

/** Worker process, as its primary controls it. */
export type WorkerProcess = {
  id: number
  pid: number | undefined
  /** Resolves when the worker answers requests. Rejects with the reason where it ends before. */
  ready: Promise<ReadyWorker>
  isReady: boolean
  /** Whether it was asked to stop. */
  isLeaving: boolean
  ended: Promise<End>
  /** Asks the worker to stop, and resolves when it has ended. */
  leave(shutdownReason: ShutdownReason): Promise<End>
  /** Kills the worker immediately. */
  kill(): void
}

/** Used parts of a child process. */
export type Child = NodeJS.EventEmitter &
  Pick<Worker, 'id' | 'isConnected' | 'send'> & { process: Pick<Worker['process'], 'pid' | 'kill'> }

/** Starts this program again in a process, as a worker. */
export function startWorkerProcess(fork: () => Child = () => cluster.fork()): WorkerProcess {
  const worker = fork()
  const ready = Promise.withResolvers<ReadyWorker>()
  const ended = Promise.withResolvers<End>()
  // The rejection is observed by awaiting callers only.
  ready.promise.catch(() => {})
  let reason: string | undefined
  // Metrics have messages of their own.
  worker.on('message', (news: News | Record<string, never>) => {
    if ('failed' in news) reason = news.failed
    else if ('ready' in news) {
      workerProcess.isReady = true
      ready.resolve(news.ready)
    }
  })
  // A process that has ended can't receive a message.
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
